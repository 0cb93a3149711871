import { OptioError } from "../errors.js";
import { byteSize } from "./byte-size.js";

/** `no_space` in words and figures. */
export function noSpace(what: string, neededBytes: number, freeBytes: number | undefined, cause?: unknown): OptioError {
  const free = freeBytes === undefined ? "there is no room for that" : `${byteSize(freeBytes)} are free`;
  return new OptioError("no_space", `${what} needs ${byteSize(neededBytes)} more, and ${free}`, {
    details: { neededBytes, ...(freeBytes === undefined ? {} : { freeBytes }) },
    cause,
  });
}
