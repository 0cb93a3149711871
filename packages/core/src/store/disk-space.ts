import { OptioError } from "../errors.js";
import { byteSize } from "./byte-size.js";
import type { StoreFiles } from "./store-platform.js";

/**
 * Makes sure that `neededBytes` more can be written, as far as that can be known.
 *
 * @throws OptioError `no_space` with details `neededBytes` and `freeBytes`
 */
export async function ensureSpace(files: StoreFiles, neededBytes: number, what: string): Promise<void> {
  const freeBytes = await files.freeBytes();
  if (freeBytes !== undefined && freeBytes < neededBytes) throw noSpace(what, neededBytes, freeBytes);
}

/** `no_space` in words and figures. */
export function noSpace(what: string, neededBytes: number, freeBytes: number | undefined, cause?: unknown): OptioError {
  const free = freeBytes === undefined ? "there is no room for that" : `${byteSize(freeBytes)} are free`;
  return new OptioError("no_space", `${what} needs ${byteSize(neededBytes)} more, and ${free}`, {
    details: { neededBytes, ...(freeBytes === undefined ? {} : { freeBytes }) },
    cause,
  });
}
