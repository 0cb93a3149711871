import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { barChart, seconds } from "./chart.mjs";

/**
 * How many times longer the others take than optio in Chromium.
 *
 * @param {readonly { name: string, prefill: { median: number } | undefined, decision: { median: number } | undefined }[]} summary
 * @param {number} threads
 */
export function ratios(summary, threads) {
  const of = (/** @type {string} */ name) => summary.find((entry) => entry.name === name);
  /** @type {{ of: string, to: string, prefill: number, decision: number }[]} */
  const found = [];
  for (const count of [`${threads} threads`, "1 thread"]) {
    const own = of(`optio, Chromium, ${count}`);
    for (const name of [`wllama, Chromium, ${count}`, `optio, native program, ${count}`]) {
      const other = of(name);
      if (!own?.prefill || !own.decision || !other?.prefill || !other.decision) continue;
      found.push({
        of: name,
        to: own.name,
        prefill: other.prefill.median / own.prefill.median,
        decision: other.decision.median / own.decision.median,
      });
    }
  }
  return found;
}

/** @param {any} report */
export function printReport(report) {
  const { machine, versions: tools, model, summary } = report;
  console.log(
    `\n${model.file} on ${machine.processor}, ${machine.processors} processors; ${tools.chromium ? `Chromium ${tools.chromium}, ` : ""}Node ${tools.node}, wllama ${tools.wllama}`,
  );
  console.log("Medians, with the range of the samples; nothing is kept from one sample to the next.\n");
  const cell = (/** @type {any} */ value) =>
    value === undefined
      ? "–"
      : `${seconds(value.median)} (${seconds(value.least)} to ${seconds(value.most)}, n ${value.samples})`;
  const rows = [
    ["subject", "tokens: prefix, all", "prefill", "decision of 8 questions"],
    ...summary.map((/** @type {any} */ entry) => [
      entry.name,
      `${entry.prefixTokens ?? "–"}, ${entry.tokens ?? "–"}`,
      cell(entry.prefill),
      entry.problems.length > 0 ? `${cell(entry.decision)} ${entry.problems.join("; ")}` : cell(entry.decision),
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column].length)));
  for (const [index, row] of rows.entries()) {
    console.log(
      row
        .map((/** @type {string} */ text, /** @type {number} */ column) => text.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
    if (index === 0) console.log(widths.map((width) => "-".repeat(width)).join("  "));
  }
  for (const { of, to, prefill, decision } of report.ratios) {
    console.log(
      `\n${of}: ${prefill.toFixed(2)} times the prefill, ${decision.toFixed(2)} times the decision of ${to}.`,
    );
  }
}

/**
 * @param {any} report
 * @param {Date} started
 */
export async function saveReport(report, started) {
  const folder = fileURLToPath(new URL("../../.bench", import.meta.url));
  await mkdir(folder, { recursive: true });
  const stem = join(folder, started.toISOString().slice(0, 16).replaceAll(":", ""));
  await writeFile(`${stem}.json`, `${JSON.stringify(report, undefined, 2)}\n`);
  const subtitle = `${report.model.file}; ${report.machine.processor}; ${report.started.slice(0, 10)}. Median; the line is the range.`;
  const charts = {
    prefill: "Reading about 500 tokens",
    decision: "A decision of eight questions over about 500 tokens",
  };
  for (const [key, title] of Object.entries(charts)) {
    const bars = report.summary.flatMap((/** @type {any} */ entry) =>
      entry[key] === undefined ? [] : [{ label: entry.name, own: entry.own, ...entry[key] }],
    );
    if (bars.length > 0) await writeFile(`${stem}-${key}.svg`, barChart(title, subtitle, bars));
  }
  console.log(`\nSaved as ${stem}.json and two charts beside it.`);
}
