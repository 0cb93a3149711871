import { type Json, OptioError } from "@optio/core";
import { z } from "zod";
import type { Line } from "./split-lines.js";

/** One line of `optio decide --jsonl`. */
export interface JsonlRow {
  readonly id?: string | number;
  readonly state: Json;
}

const json: z.ZodType<Json> = z.json();

/**
 * Reads a line: a JSON string is the text itself; of an object, the member `field` is taken, and `id` is kept.
 *
 * @throws OptioError `invalid_state`
 */
export function parseJsonlRow(line: Line, field: string): JsonlRow {
  const value = parseJson(line);
  if (typeof value === "string" || Array.isArray(value)) return { state: value };
  if (typeof value !== "object" || value === null) {
    throw new OptioError(
      "invalid_state",
      `Line ${line.number} is ${JSON.stringify(value)}, which is neither text nor an object.`,
      {
        hint: `Write {"${field}": "..."} or "...".`,
      },
    );
  }
  const row = value as Readonly<Record<string, Json>>;
  const id = idOf(row);
  const state = row[field];
  if (state === undefined) {
    const names = Object.keys(row).join(", ");
    throw new OptioError(
      "invalid_state",
      `Line ${line.number} has no "${field}"; it has ${names === "" ? "nothing" : names}.`,
      {
        hint: "Name the member that holds the text with --field.",
      },
    );
  }
  return { ...(id === undefined ? {} : { id }), state };
}

/** The id of a line for its error, as far as it can be read. */
export function rowId(line: Line): string | number | undefined {
  try {
    const value = parseJson(line);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? idOf(value as Readonly<Record<string, Json>>)
      : undefined;
  } catch {
    return undefined;
  }
}

function parseJson(line: Line): Json {
  try {
    return json.parse(JSON.parse(line.text));
  } catch (cause) {
    throw new OptioError(
      "invalid_state",
      `Line ${line.number} is not JSON: ${cause instanceof Error ? cause.message : cause}.`,
      {
        cause,
        hint: "Write one JSON value on each line.",
      },
    );
  }
}

function idOf(row: Readonly<Record<string, Json>>): string | number | undefined {
  const id = row["id"];
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}
