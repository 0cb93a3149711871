import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { OptioError } from "@optio/core";
import { readText } from "./split-lines.js";

/**
 * A text file that a flag names.
 *
 * @throws OptioError `invalid_setting` when it cannot be read; `invalid_state` when it is not UTF-8.
 */
export async function readTextFile(path: string, flag: string): Promise<string> {
  async function* content(): AsyncGenerator<Uint8Array> {
    yield await readFile(path).catch((cause: unknown) => {
      throw unreadable(path, flag, cause);
    });
  }
  return readText(content(), path);
}

/** The bytes of a file as they are read. */
export async function* readChunks(path: string, flag: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path) as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw unreadable(path, flag, cause);
  }
}

function unreadable(path: string, flag: string, cause: unknown): OptioError {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  const why = code === "ENOENT" ? "does not exist" : code === "EISDIR" ? "is a folder" : "cannot be read";
  return new OptioError("invalid_setting", `${flag}: ${path} ${why}.`, {
    cause,
    hint: "Check the path and its permissions.",
  });
}
