import { otherWork } from "./other-work.mjs";
import { aboutMeasure, measureTable, ratioTable, sizeTable, skippedLines } from "./tables.mjs";

/** @param {import("./report.mjs").Report} report */
export function printReport(report) {
  const { machine, versions, settings } = report;
  console.log(
    `\n${machine.processor}, ${machine.processors} processors; ${versions.chromium ? `Chromium ${versions.chromium}, ` : ""}Node ${versions.node}, wllama ${versions.wllama}`,
  );
  console.log(`Medians (least to most); repetitions: ${settings.repetitions}, of wllama ${settings.peerRepetitions}.`);
  console.log(`Others used ${otherWork(report)}.`);
  for (const measure of report.measures) {
    const figures = measure.id === "size" ? sizeTable(report) : measureTable(report, measure);
    if (figures === undefined) continue;
    console.log(`\n${measure.title}. ${aboutMeasure(report, measure)}`);
    print(figures);
    const ratios = ratioTable(report, measure);
    if (ratios !== undefined) print(ratios);
  }
  const skipped = skippedLines(report);
  if (skipped.length > 0) console.log(`\nNot measured:\n${skipped.map((line) => `  ${line}`).join("\n")}`);
}

/** @param {import("./tables.mjs").Table} table */
function print({ head, rows }) {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  for (const row of all)
    console.log(`  ${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd());
}
