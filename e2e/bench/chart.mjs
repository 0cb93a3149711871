/**
 * @typedef {object} Bar
 * @property {string} label
 * @property {number} median milliseconds
 * @property {number} least
 * @property {number} most
 * @property {boolean} own whether it is ours
 */

const row = 44;
const left = 310;
const width = 900;
const barWidth = width - left - 110;

/**
 * Horizontal bars with a line over the range of the samples, as an SVG that follows the reader's light or dark scheme.
 *
 * @param {string} title
 * @param {string} subtitle
 * @param {readonly Bar[]} bars at least one
 */
export function barChart(title, subtitle, bars) {
  const longest = Math.max(...bars.map(({ most }) => most));
  const scale = (/** @type {number} */ value) => (value / longest) * barWidth;
  const height = 84 + bars.length * row;
  const rows = bars.map(({ label, median, least, most, own }, index) => {
    const y = 70 + index * row;
    const middle = y + 13;
    const range = `M${left + scale(least)} ${middle}H${left + scale(most)}`;
    return `  <text x="16" y="${y + 18}">${escapeXml(label)}</text>
  <rect class="${own ? "own" : "other"}" x="${left}" y="${y}" width="${round(scale(median))}" height="26" rx="4"/>
  <path class="range" d="${range}"/>
  <text class="value" x="${round(left + scale(most) + 10)}" y="${y + 18}">${seconds(median)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(title)}">
  <style>
    svg { background: #fff; font: 15px system-ui, sans-serif; }
    text { fill: #16191d; }
    .subtitle { fill: #595959; font-size: 13px; }
    .title { font-weight: 700; font-size: 18px; }
    .value { font-variant-numeric: tabular-nums; }
    .own { fill: #0f419c; }
    .other { fill: #9aa0a6; }
    .range { stroke: #16191d; stroke-width: 2; fill: none; }
    @media (prefers-color-scheme: dark) {
      svg { background: #121417; }
      text { fill: #e8eaed; }
      .subtitle { fill: #9aa0a6; }
      .own { fill: #427ce8; }
      .other { fill: #6b7178; }
      .range { stroke: #e8eaed; }
    }
  </style>
  <text class="title" x="16" y="28">${escapeXml(title)}</text>
  <text class="subtitle" x="16" y="50">${escapeXml(subtitle)}</text>
${rows.join("\n")}
</svg>
`;
}

/** @param {number} milliseconds */
export function seconds(milliseconds) {
  return milliseconds >= 1000
    ? `${(milliseconds / 1000).toFixed(milliseconds >= 10_000 ? 1 : 2)} s`
    : `${Math.round(milliseconds)} ms`;
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10;
}

/** @param {string} text */
function escapeXml(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
