/**
 * @typedef {object} Bar
 * @property {string} label
 * @property {number} median
 * @property {number} least
 * @property {number} most
 * @property {string} text what stands at its end
 * @property {boolean} own whether it is ours
 *
 * @typedef {{ title: string, bars: readonly Bar[] }} Panel bars that are compared with each other, with a scale of their own
 */

const row = 30;
const left = 400;
const width = 900;
const barWidth = width - left - 110;

/**
 * Horizontal bars with a line over the range of the samples, as an SVG that follows the reader's light or dark scheme.
 *
 * @param {string} title
 * @param {string} subtitle
 * @param {readonly Panel[]} panels
 */
export function barChart(title, subtitle, panels) {
  let y = 84;
  const parts = panels.map((panel) => {
    const heading = `  <text class="panel" x="16" y="${y}">${escapeXml(panel.title)}</text>`;
    const longest = Math.max(...panel.bars.map(({ most }) => most));
    const scale = (/** @type {number} */ value) => (longest > 0 ? (value / longest) * barWidth : 0);
    const rows = panel.bars.map((bar, index) => drawBar(bar, y + 14 + index * row, scale));
    y += 14 + panel.bars.length * row + 34;
    return [heading, ...rows].join("\n");
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y - 14}" role="img" aria-label="${escapeXml(title)}">
  <style>
    svg { background: #fff; font: 14px system-ui, sans-serif; }
    text { fill: #16191d; }
    .subtitle { fill: #595959; font-size: 13px; }
    .title { font-weight: 700; font-size: 18px; }
    .panel { font-weight: 600; }
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
${parts.join("\n")}
</svg>
`;
}

/**
 * @param {Bar} bar
 * @param {number} y
 * @param {(value: number) => number} scale
 */
function drawBar({ label, median, least, most, text, own }, y, scale) {
  const at = (/** @type {number} */ value) => round(left + scale(value));
  return `  <text x="16" y="${y + 15}">${escapeXml(label)}</text>
  <rect class="${own ? "own" : "other"}" x="${left}" y="${y}" width="${round(scale(median))}" height="20" rx="3"/>
  <path class="range" d="M${at(least)} ${y + 10}H${at(most)}"/>
  <text class="value" x="${round(at(most) + 10)}" y="${y + 15}">${escapeXml(text)}</text>`;
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10;
}

/** @param {string} text */
function escapeXml(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
