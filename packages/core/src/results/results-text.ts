import type { Policy } from "../trust/policy.js";
import { laneOf, type ResultRow } from "./result-row.js";

/**
 * Decided rows as CSV (RFC 4180, with a header and CRLF). Text that a spreadsheet would take for a formula gets an apostrophe
 * before it; numbers never do. The same rows and policy give the same bytes everywhere.
 */
export function resultsCsv(rows: readonly ResultRow[], policy: Policy): string {
  const ids = [...new Set(rows.flatMap(({ answers }) => answers.map(({ id }) => id)))];
  const labelled = [...new Set(rows.flatMap(({ labels }) => Object.keys(labels ?? {})))];
  const header = [
    ...["row", "text"],
    ...ids.flatMap((id) => [id, `${id}_probability`, `${id}_confidence`]),
    ...labelled.map((id) => `${id}_label`),
    ...["action", "error", "accept", "review", "model", "model_sha256", "readout", "confidence_formula"],
  ];
  const lines = rows.map((row) => {
    const { receipt } = row;
    return [
      row.row,
      row.text,
      ...ids.flatMap((id) => {
        const answer = row.answers.find((each) => each.id === id);
        return answer === undefined
          ? ["", "", ""]
          : [answer.option, rounded(answer.probability), rounded(answer.confidence)];
      }),
      ...labelled.map((id) => row.labels?.[id] ?? ""),
      ...[laneOf(row, policy), row.error?.code ?? "", policy.accept, policy.review],
      ...[receipt?.model ?? "", receipt?.sha256 ?? "", receipt?.readout ?? "", receipt?.formula ?? ""],
    ];
  });
  return [header, ...lines].map((cells) => `${cells.map(cell).join(",")}\r\n`).join("");
}

/** Decided rows as JSON, one a line. */
export function resultsJsonl(rows: readonly ResultRow[], policy: Policy): string {
  return rows.map((row) => `${JSON.stringify({ ...row, action: laneOf(row, policy), policy })}\n`).join("");
}

function cell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Six digits after the point: more than the numbers mean. */
function rounded(value: number): number {
  return Number(value.toFixed(6));
}
