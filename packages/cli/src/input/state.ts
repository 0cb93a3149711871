import { type Json, OptioError } from "@optio/core";
import type { Input } from "../context.js";
import { readTextFile } from "./read-file.js";
import { readText } from "./split-lines.js";

export interface StateFlags {
  readonly file?: string;
  readonly stateFormat?: "text" | "json";
}

/**
 * What the decision is about: the argument, `--file`, or stdin.
 *
 * @throws OptioError `invalid_setting` when there is none, or more than one; `invalid_state` when it is not JSON but should be.
 */
export async function readState(text: string | undefined, flags: StateFlags, stdin: Input): Promise<Json> {
  const { file } = flags;
  const given = text === "-" ? undefined : text;
  if (given !== undefined && file !== undefined) {
    throw new OptioError("invalid_setting", "There is a text and a --file as well.", {
      hint: "Leave one of them out.",
    });
  }
  if (given !== undefined) return asState(given, flags.stateFormat ?? "text", "The text");
  if (file !== undefined) {
    const format = flags.stateFormat ?? (file.toLowerCase().endsWith(".json") ? "json" : "text");
    return asState(await readTextFile(file, "--file"), format, file);
  }
  if (stdin.isTerminal && text !== "-") {
    throw new OptioError("invalid_setting", "There is nothing to decide about.", {
      hint: 'Give a text, as in optio decide "The invoice is wrong", or --file, or pipe the text in.',
    });
  }
  return asState(await readText(stdin.chunks(), "stdin"), flags.stateFormat ?? "text", "stdin");
}

function asState(text: string, format: "text" | "json", what: string): Json {
  if (format === "text") return text;
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw new OptioError("invalid_state", `${what} is not JSON: ${cause instanceof Error ? cause.message : cause}.`, {
      cause,
      hint: "Correct it, or use --state-format text.",
    });
  }
}
