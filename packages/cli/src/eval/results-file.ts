import { createHash } from "node:crypto";
import { type FileHandle, open, readFile } from "node:fs/promises";
import { OptioError } from "@optio/core";
import { z } from "zod";
import { type RowResult, rowResultSchema } from "./row-result.js";

/** What must be the same for two runs to belong together, as flat text so that a difference can be named. */
export type RunSettings = Readonly<Record<string, string>>;

const headerSchema = z.object({
  optioEval: z.literal(1),
  settingsHash: z.string(),
  settings: z.record(z.string(), z.string()),
});

export interface ResultsFile {
  /** Rows that an earlier run finished, the last one of each line. */
  readonly finished: ReadonlyMap<number, RowResult>;
  append(row: RowResult): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a results file: JSON lines, the first of which holds the settings.
 *
 * @param resume false: an existing file is replaced.
 * @throws OptioError `invalid_setting` when the file holds something else, or rows of other settings.
 */
export async function openResultsFile(path: string, settings: RunSettings, resume: boolean): Promise<ResultsFile> {
  const settingsHash = hashSettings(settings);
  const before = resume ? await readResults(path) : undefined;
  if (before !== undefined && before.header.settingsHash !== settingsHash) {
    throw otherSettings(path, before.header.settings, settings);
  }
  const file = await openForWriting(path, before?.bytes);
  if (before === undefined) await file.appendFile(`${JSON.stringify({ optioEval: 1, settingsHash, settings })}\n`);
  return {
    finished: before?.rows ?? new Map(),
    append: (row) => file.appendFile(`${JSON.stringify(row)}\n`),
    close: () => file.close(),
  };
}

function hashSettings(settings: RunSettings): string {
  const sorted = Object.entries(settings).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(sorted)).digest("hex");
}

/** @param keepBytes how much of an existing file stays; `undefined` to begin anew. */
async function openForWriting(path: string, keepBytes: number | undefined): Promise<FileHandle> {
  try {
    if (keepBytes === undefined) return await open(path, "w");
    const file = await open(path, "a");
    await file.truncate(keepBytes);
    return file;
  } catch (cause) {
    throw new OptioError("invalid_setting", `--out: ${path} cannot be written.`, {
      cause,
      hint: "Check the folder and its permissions.",
    });
  }
}

interface EarlierResults {
  readonly header: z.infer<typeof headerSchema>;
  readonly rows: Map<number, RowResult>;
  /** Length of the file without a last line that was cut off. */
  readonly bytes: number;
}

async function readResults(path: string): Promise<EarlierResults | undefined> {
  const content = await readFile(path).catch((cause: unknown) => {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw new OptioError("invalid_setting", `--out: ${path} cannot be read.`, {
      cause,
      hint: "Check the path and its permissions.",
    });
  });
  if (content === undefined || content.length === 0) return undefined;

  // A run that was killed may have left half a line, which the next run writes again.
  const bytes = content.lastIndexOf(0x0a) + 1;
  const [first = "", ...lines] = content.subarray(0, bytes).toString("utf8").split("\n").slice(0, -1);
  const header = headerSchema.safeParse(parseJson(first));
  if (!header.success) throw foreign(path, 1);
  const rows = new Map<number, RowResult>();
  for (const [index, line] of lines.entries()) {
    const row = rowResultSchema.safeParse(parseJson(line));
    if (!row.success) throw foreign(path, index + 2);
    rows.set(row.data.line, row.data as RowResult);
  }
  return { header: header.data, rows, bytes };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function foreign(path: string, line: number): OptioError {
  return new OptioError("invalid_setting", `--out: line ${line} of ${path} was not written by optio eval.`, {
    hint: "Name another file, or replace this one with --no-resume.",
  });
}

function otherSettings(path: string, before: RunSettings, now: RunSettings): OptioError {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    (name) => before[name] !== now[name],
  );
  const changes = names.map((name) => `${name} was ${shorten(before[name])}, now ${shorten(now[name])}`).join("; ");
  return new OptioError("invalid_setting", `${path} holds rows of another run: ${changes}.`, {
    hint: "Repeat the earlier settings, name another file, or replace this one with --no-resume.",
    details: { changed: names.join(", ") },
  });
}

/** Hashes by their first characters. */
function shorten(value: string | undefined): string {
  if (value === undefined) return "not set";
  return value.replace(/[0-9a-f]{64}/gu, (hash) => hash.slice(0, 12));
}
