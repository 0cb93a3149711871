import { displayWidth, padEnd, padStart } from "./display-width.js";
import { printable } from "./printable.js";

export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
}

/** Rows under titles, columns two spaces apart; cells are made safe for a terminal. */
export function renderTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const lines = [columns.map((column) => column.title), ...rows.map((row) => row.map(printable))];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => displayWidth(line[index] ?? ""))));
  return lines.map((line) =>
    columns
      .map((column, index) => {
        const pad = column.align === "right" ? padStart : padEnd;
        return pad(line[index] ?? "", widths[index] ?? 0);
      })
      .join("  ")
      .trimEnd(),
  );
}
