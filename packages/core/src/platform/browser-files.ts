import { OptioError } from "../errors.js";
import type { ModelFile, SyncReader } from "../store/model-file.js";
import { fileAt, opfsRoot } from "./opfs.js";

/** Opens a model for synchronous reading in a worker: straight from the file into the heap, without a second copy. */
export async function openModelFile(file: ModelFile): Promise<SyncReader> {
  switch (file.kind) {
    case "opfs":
      return openOpfs(file.path);
    case "blob":
      return openBlob(file.blob);
    case "path":
      throw new OptioError("model_invalid", `${file.path} is a path, which a browser cannot read.`);
  }
}

async function openOpfs(path: readonly string[]): Promise<SyncReader> {
  const handle = await fileAt(await opfsRoot(), path, false);
  if (handle === undefined) throw new OptioError("model_not_found", `${path.join("/")} is no longer stored here.`);
  try {
    const access = await handle.createSyncAccessHandle({ mode: "read-only" });
    // Some browsers do not read into memory that is shared: then the bytes take a detour.
    let detour: Uint8Array | undefined;
    return {
      size: access.getSize(),
      read(destination, offset) {
        if (detour === undefined) {
          try {
            return access.read(destination, { at: offset });
          } catch (error) {
            if (!(error instanceof TypeError)) throw error;
            detour = new Uint8Array(4 * 1024 * 1024);
          }
        }
        return readThrough(detour, destination, offset, (bytes, at) => access.read(bytes, { at }));
      },
      close: () => access.close(),
    };
  } catch (cause) {
    throw new OptioError("store_failed", `The stored model could not be opened: ${String(cause)}`, {
      hint: "Another tab may hold it open; close that tab and try again.",
      cause,
    });
  }
}

function openBlob(blob: Blob): SyncReader {
  const reader = new (
    globalThis as unknown as { FileReaderSync: new () => { readAsArrayBuffer(blob: Blob): ArrayBuffer } }
  ).FileReaderSync();
  return {
    size: blob.size,
    read(destination, offset) {
      const bytes = new Uint8Array(reader.readAsArrayBuffer(blob.slice(offset, offset + destination.length)));
      destination.set(bytes);
      return bytes.length;
    },
    close: () => undefined,
  };
}

function readThrough(
  detour: Uint8Array,
  destination: Uint8Array,
  offset: number,
  read: (bytes: Uint8Array, at: number) => number,
): number {
  let done = 0;
  while (done < destination.length) {
    const part = detour.subarray(0, Math.min(detour.length, destination.length - done));
    const bytes = read(part, offset + done);
    if (bytes === 0) break;
    destination.set(part.subarray(0, bytes), done);
    done += bytes;
  }
  return done;
}
