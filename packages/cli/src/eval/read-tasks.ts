import { createHash } from "node:crypto";
import { OptioError } from "@optio/core";
import { readTextFile } from "../input/read-file.js";
import { splitLines } from "../input/split-lines.js";
import { parseCsvTasks } from "./csv-tasks.js";
import { parseTaskLine } from "./jsonl-tasks.js";
import type { Row } from "./task.js";

export interface DataFlags {
  readonly format?: "jsonl" | "csv";
  readonly textColumn: string;
  readonly labelColumn: string;
  readonly familyColumn?: string;
  readonly instructions?: string;
  readonly options?: readonly string[];
}

export interface Data {
  readonly rows: readonly Row[];
  /** Of the file's text, lower-case hex. */
  readonly sha256: string;
}

/** @throws OptioError `invalid_setting` for a file that cannot be used at all; a bad row is a row with an error. */
export async function readTasks(path: string, flags: DataFlags): Promise<Data> {
  const content = await readTextFile(path, "The data");
  const sha256 = createHash("sha256").update(content).digest("hex");
  return {
    rows: (flags.format ?? formatOf(path)) === "csv" ? csvRows(content, flags) : await jsonlRows(content),
    sha256,
  };
}

function formatOf(path: string): "jsonl" | "csv" {
  return /\.(csv|tsv)$/iu.test(path) ? "csv" : "jsonl";
}

function csvRows(content: string, { textColumn, labelColumn, familyColumn, instructions, options }: DataFlags): Row[] {
  if (instructions === undefined) {
    throw new OptioError(
      "invalid_setting",
      "A CSV file needs --instructions: the question that is asked about each text.",
      {
        hint: 'For example --instructions "What is this bank customer\'s message about?"',
      },
    );
  }
  return parseCsvTasks(content, {
    textColumn,
    labelColumn,
    instructions,
    ...(familyColumn === undefined ? {} : { familyColumn }),
    ...(options === undefined ? {} : { options }),
  });
}

async function jsonlRows(content: string): Promise<Row[]> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(content);
  }
  const rows: Row[] = [];
  for await (const line of splitLines(chunks())) rows.push(parseTaskLine(line));
  return rows;
}
