import { OptioError } from "../errors.js";
import { joinBytes } from "./join-bytes.js";
import type { AppendFile, FactValue, StoreFiles, StoreLock, StorePlatform } from "./store-platform.js";

/** Bytes that gather before they are handed to a blob, which a browser may move out of memory. */
const blobStep = 8 * 1024 * 1024;

/** A store that nothing outlives: files as blobs, facts and locks in this process. `base` has what is left of a platform. */
export function memoryStorePlatform(
  base: Pick<StorePlatform, "createHash" | "fetch" | "mayAskIfRange"> & Pick<StorePlatform, "baseAddress">,
): StorePlatform {
  const facts = new Map<string, FactValue>();
  return {
    ...base,
    files: memoryFiles(),
    lock: memoryLock(),
    facts: {
      get: async (key) => facts.get(key),
      set: async (key, value) => void facts.set(key, value),
      delete: async (key) => void facts.delete(key),
    },
  };
}

function memoryFiles(): StoreFiles {
  const files = new Map<string, Blob>();
  const fileAt = (path: string): Blob => {
    const file = files.get(path);
    if (file === undefined) throw new OptioError("store_failed", `${path} is not there.`);
    return file;
  };
  return {
    size: async (path) => files.get(path)?.size,
    append: async (path, at) => {
      let pending: Uint8Array[] = [];
      let pendingBytes = 0;
      let file = (files.get(path) ?? new Blob()).slice(0, at);
      const flush = () => {
        file = new Blob([file, joinBytes(pending) as Uint8Array<ArrayBuffer>]);
        files.set(path, file);
        pending = [];
        pendingBytes = 0;
      };
      flush();
      const writer: AppendFile = {
        write: async (bytes) => {
          pending.push(bytes.slice());
          pendingBytes += bytes.length;
          if (pendingBytes >= blobStep) flush();
        },
        close: async () => flush(),
      };
      return writer;
    },
    async *read(path, start = 0, end) {
      const file = fileAt(path);
      const stop = end ?? file.size;
      for (let at = start; at < stop; at += blobStep) {
        yield new Uint8Array(await file.slice(at, Math.min(stop, at + blobStep)).arrayBuffer());
      }
    },
    rename: async (from, to) => {
      files.set(to, fileAt(from));
      files.delete(from);
    },
    remove: async (path) => {
      for (const name of [...files.keys()]) if (name === path || name.startsWith(`${path}/`)) files.delete(name);
    },
    list: async (folder) => {
      const start = folder === "" ? "" : `${folder}/`;
      const inside = [...files.keys()].filter((name) => name.startsWith(start));
      return [...new Set(inside.map((name) => name.slice(start.length).split("/")[0] ?? ""))];
    },
    freeBytes: async () => undefined,
    blob: async (path) => fileAt(path),
    modelFile: async (path) => ({ kind: "blob", blob: fileAt(path) }),
  };
}

/** Callers of one process queue for a name. */
function memoryLock(): StoreLock {
  const held = new Map<string, Promise<void>>();
  return {
    hold: async (name, { wait = true, signal }) => {
      while (held.has(name)) {
        if (!wait) throw new OptioError("store_busy", `Another call is working on ${name}.`);
        signal?.throwIfAborted();
        await Promise.race([held.get(name), ...(signal === undefined ? [] : [aborted(signal)])]);
      }
      signal?.throwIfAborted();
      let free = (): void => undefined;
      held.set(name, new Promise((resolve) => (free = resolve)));
      return {
        report: () => undefined,
        lost: new AbortController().signal,
        release: async () => {
          held.delete(name);
          free();
        },
      };
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
