import { type ErrorCode, OptioError } from "./errors.js";

/**
 * What `read` makes of a caller's value. Getters, proxies and lists inside themselves can make any reading of a value throw.
 *
 * @param what the value's name, for the message
 * @throws OptioError `code`, unless `read` throws an error of ours
 */
export function readUntrusted<T>(code: ErrorCode, what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (OptioError.isInstance(cause)) throw cause;
    const why = cause instanceof RangeError ? "it is nested too deeply, or contains itself" : messageOf(cause);
    throw new OptioError(code, `${what} cannot be read: ${why}`, { cause });
  }
}

/** Objects and lists of a state that may stand inside each other: enough for data, too few for a list that contains itself. */
export const maxNesting = 256;

/** @throws OptioError `code` when more than `maxNesting` objects and lists stand inside each other. */
export function checkNesting(code: ErrorCode, what: string, value: unknown, left = maxNesting): void {
  if (typeof value !== "object" || value === null) return;
  if (left === 0) {
    throw new OptioError(code, `${what} has more than ${maxNesting} objects and lists inside each other.`);
  }
  for (const item of Object.values(value)) checkNesting(code, what, item, left - 1);
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
