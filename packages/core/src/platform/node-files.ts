import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { OptioError } from "../errors.js";
import type { ModelFile, SyncReader } from "../store/model-file.js";

/** Opens a model for synchronous reading in a worker thread. */
export function openModelFile(file: ModelFile): SyncReader {
  if (file.kind !== "path") {
    throw new OptioError("model_invalid", `A model of kind ${file.kind} cannot be opened here: only files can.`);
  }
  const { path } = file;
  return reporting(path, () => {
    const handle = openSync(path, "r");
    return {
      size: fstatSync(handle).size,
      read: (destination, offset) => reporting(path, () => fill(handle, destination, offset)),
      close: () => closeSync(handle),
    };
  });
}

/** Bytes read, fewer than asked for at the end of the file only. */
function fill(handle: number, destination: Uint8Array, offset: number): number {
  let done = 0;
  while (done < destination.length) {
    const bytes = readSync(handle, destination, done, destination.length - done, offset + done);
    if (bytes === 0) break;
    done += bytes;
  }
  return done;
}

function reporting<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new OptioError("store_failed", `${path} could not be read: ${String(cause)}`, { cause });
  }
}
