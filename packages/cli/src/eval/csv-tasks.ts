import { choice, OptioError } from "@optio/core";
import { parse } from "csv-parse/sync";
import { defaultFamily, type Row } from "./task.js";

export interface CsvSettings {
  readonly textColumn: string;
  readonly labelColumn: string;
  /** Rows are counted by the values of this column as well. */
  readonly familyColumn?: string;
  readonly instructions: string;
  /** The labels in the order in which the model sees them; by default in order of first appearance. */
  readonly options?: readonly string[];
}

/**
 * Labelled rows of a CSV file with a header. A label is shown to the model with its underscores as spaces.
 *
 * @throws OptioError `invalid_setting` for a file or columns that cannot be used at all.
 */
export function parseCsvTasks(content: string, settings: CsvSettings): Row[] {
  const { header, records } = readRecords(content);
  const column = (name: string): number => {
    const index = header.indexOf(name);
    if (index !== -1) return index;
    throw new OptioError("invalid_setting", `The file has no column "${name}"; its columns are ${header.join(", ")}.`, {
      hint: "Name the columns with --text-column and --label-column.",
    });
  };
  const textAt = column(settings.textColumn);
  const labelAt = column(settings.labelColumn);
  const familyAt = settings.familyColumn === undefined ? undefined : column(settings.familyColumn);

  const labels = settings.options ?? [
    ...new Set(records.map(({ cells }) => cells[labelAt]?.trim() ?? "").filter((label) => label !== "")),
  ];
  const keyOf = optionKeys(labels);
  const labelOf = new Map([...keyOf].map(([label, key]) => [key, label]));
  const question = choice(settings.instructions, [...labelOf.keys()]);

  return records.map(({ line, cells }): Row => {
    const label = cells[labelAt]?.trim() ?? "";
    const text = cells[textAt] ?? "";
    const expected = keyOf.get(label);
    if (cells.length !== header.length)
      return bad(line, `The row has ${cells.length} cells, the header ${header.length}.`);
    if (text.trim() === "") return bad(line, `The column "${settings.textColumn}" is empty.`);
    if (expected === undefined)
      return bad(
        line,
        label === ""
          ? `The column "${settings.labelColumn}" is empty.`
          : `The label "${label}" is none of the options.`,
      );
    return {
      line,
      id: `line-${line}`,
      family: familyAt === undefined ? defaultFamily : (cells[familyAt] ?? defaultFamily),
      state: text,
      question,
      expected,
      labelOf: (option) => labelOf.get(option) ?? option,
    };
  });
}

interface Records {
  readonly header: readonly string[];
  readonly records: readonly { readonly line: number; readonly cells: readonly string[] }[];
}

function readRecords(content: string): Records {
  const rows: { line: number; cells: string[] }[] = [];
  try {
    parse(content, {
      bom: true,
      delimiter: delimiterOf(content),
      skip_empty_lines: true,
      relax_column_count: true,
      relax_quotes: true,
      on_record(cells: string[], { lines }) {
        rows.push({ line: lines, cells });
        return null;
      },
    });
  } catch (cause) {
    throw new OptioError("invalid_setting", `The file is not CSV: ${cause instanceof Error ? cause.message : cause}.`, {
      cause,
      hint: "Use a header, one row a line, and double quotes round cells with commas, quotes or line breaks.",
    });
  }
  const [header, ...records] = rows;
  if (header === undefined) {
    throw new OptioError("invalid_setting", "The file has no header and no rows.", {
      hint: "The first line names the columns.",
    });
  }
  return { header: header.cells.map((name) => name.trim()), records };
}

/** Comma, semicolon or tab: whichever the header has most of. */
function delimiterOf(content: string): string {
  const header = content.slice(0, content.search(/[\r\n]|$/u));
  const counts = [",", ";", "\t"].map((delimiter) => ({ delimiter, count: header.split(delimiter).length }));
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).delimiter;
}

/** What the model sees, by label. */
function optionKeys(labels: readonly string[]): Map<string, string> {
  const keys = new Map<string, string>();
  const taken = new Map<string, string>();
  for (const label of labels) {
    const key = label.replace(/_+/gu, " ").trim();
    const other = taken.get(key);
    if (other !== undefined) {
      throw new OptioError("invalid_options", `The labels "${other}" and "${label}" both read "${key}" to the model.`, {
        hint: "Rename one of them.",
      });
    }
    taken.set(key, label);
    keys.set(label, key);
  }
  return keys;
}

function bad(line: number, message: string): Row {
  return { line, error: new OptioError("invalid_state", message, { hint: "Correct the row; all others were asked." }) };
}
