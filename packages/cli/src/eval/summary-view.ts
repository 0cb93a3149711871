import { formatDuration } from "../output/duration.js";
import { printable } from "../output/printable.js";
import type { Style } from "../output/style.js";
import { renderTable } from "../output/table.js";
import { sharePercent } from "../output/whole-percent.js";
import type { Accuracy, Summary } from "./summary.js";

/** Rows from which a 95th centile means something: with fewer, the slowest row is shown instead. */
const enoughForP95 = 59;

export function renderSummary(summary: Summary, style: Style): string[] {
  if (summary.n === 0) return ["No rows were asked.", ...troubles(summary, style)];
  const families = summary.families.length > 1 ? summary.families : [];
  const table = renderTable(
    [
      { title: "family" },
      { title: "right", align: "right" },
      { title: "of", align: "right" },
      { title: "share", align: "right" },
      { title: "95 % interval", align: "right" },
    ],
    [...families.map((family) => accuracyRow(family.family, family)), accuracyRow("in all", summary)],
  );
  const [head = "", ...body] = table;
  return [
    style.dim(head),
    ...body.slice(0, -1),
    style.bold(body.at(-1) ?? ""),
    "",
    ...figures(summary),
    ...troubles(summary, style),
  ];
}

function accuracyRow(name: string, { n, correct, accuracy, interval }: Accuracy): string[] {
  const range = interval === null ? "" : `${Math.round(interval.low * 100)} to ${Math.round(interval.high * 100)} %`;
  return [name, String(correct), String(n), accuracy === null ? "" : sharePercent(accuracy), range];
}

function figures({ latency, labelMassMedian, meanConfidence }: Summary): string[] {
  const lines: string[] = [];
  if (latency !== null) {
    const tail =
      latency.n >= enoughForP95 ? `p95 ${formatDuration(latency.p95Ms)}` : `slowest ${formatDuration(latency.maxMs)}`;
    lines.push(`time a row    p50 ${formatDuration(latency.p50Ms)}, ${tail}`);
  }
  if (meanConfidence !== null) lines.push(`confidence    ${sharePercent(meanConfidence)} in the mean`);
  if (labelMassMedian !== null) lines.push(`label mass    ${sharePercent(labelMassMedian)} in the median`);
  return lines;
}

function troubles({ failed, unusable }: Summary, style: Style): string[] {
  const lines: string[] = [];
  if (failed > 0) lines.push(`failed        ${rows(failed)}, counted as not right`);
  if (unusable > 0) lines.push(`unusable      ${rows(unusable)} of the data, not counted`);
  return lines.map((line) => style.yellow(printable(line)));
}

function rows(count: number): string {
  return count === 1 ? "1 row" : `${count} rows`;
}
