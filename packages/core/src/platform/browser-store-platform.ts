import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { createStore as createFactsStore, del, get, set } from "idb-keyval";
import { OptioError } from "../errors.js";
import type {
  AppendFile,
  HeldLock,
  HoldOptions,
  StoreFacts,
  StoreFiles,
  StoreLock,
  StorePlatform,
  StoreProgress,
} from "../store/store-platform.js";
import { fileAt, folderAt, opfsRoot, storeFolder } from "./opfs.js";

/** What the store needs of a browser, in a worker: files by sync access handles, facts in IndexedDB, Web Locks. */
export function browserStorePlatform(baseAddress: string): StorePlatform {
  return {
    files: opfsFiles,
    facts: browserFacts(),
    lock: webLocks,
    createHash: () => {
      const hash = sha256.create();
      return { update: (bytes) => void hash.update(bytes), hex: () => bytesToHex(hash.digest()) };
    },
    fetch: (...request) => fetch(...request),
    // Another origin would have to allow the header by name, which model hosts do not.
    mayAskIfRange: (address) => new URL(address).origin === new URL(baseAddress).origin,
    baseAddress,
  };
}

const partsOf = (path: string): readonly string[] => [storeFolder, ...path.split("/").filter((name) => name !== "")];

const opfsFiles: StoreFiles = {
  size: async (path) => (await (await fileAt(await opfsRoot(), partsOf(path), false))?.getFile())?.size,
  append: async (path, at) => {
    const handle = await fileAt(await opfsRoot(), partsOf(path), true);
    if (handle === undefined) throw new OptioError("store_failed", `${path} could not be made.`);
    return reporting(path, async () => {
      const access = await handle.createSyncAccessHandle();
      access.truncate(at);
      let position = at;
      const file: AppendFile = {
        write: (bytes) =>
          reporting(path, async () => {
            const written = access.write(bytes, { at: position });
            position += written;
            if (written < bytes.length) throw new DOMException("The disk is full.", "QuotaExceededError");
          }),
        close: () =>
          reporting(path, async () => {
            access.flush();
            access.close();
          }),
      };
      return file;
    });
  },
  async *read(path, start = 0, end) {
    const handle = await fileAt(await opfsRoot(), partsOf(path), false);
    if (handle === undefined) throw new OptioError("store_failed", `${path} is not there.`);
    const file = await handle.getFile();
    const stop = end ?? file.size;
    const step = 4 * 1024 * 1024;
    for (let at = start; at < stop; at += step) {
      yield new Uint8Array(await file.slice(at, Math.min(stop, at + step)).arrayBuffer());
    }
  },
  rename: async (from, to) => {
    const root = await opfsRoot();
    const parts = partsOf(to);
    const [file, folder] = [await fileAt(root, partsOf(from), false), await folderAt(root, parts.slice(0, -1), true)];
    if (file === undefined || folder === undefined) throw new OptioError("store_failed", `${from} is not there.`);
    await reporting(to, () => file.move(folder, parts.at(-1) ?? ""));
  },
  remove: async (path) => {
    const parts = partsOf(path);
    const folder = await folderAt(await opfsRoot(), parts.slice(0, -1), false);
    await folder?.removeEntry(parts.at(-1) ?? "", { recursive: true }).catch((error: unknown) => {
      if (!(error instanceof DOMException && error.name === "NotFoundError")) throw storeError(path, error);
    });
  },
  list: async (path) => {
    const folder = await folderAt(await opfsRoot(), partsOf(path), false);
    const names: string[] = [];
    if (folder !== undefined) for await (const name of folder.keys()) names.push(name);
    return names;
  },
  freeBytes: async () => {
    const { quota, usage } = await navigator.storage.estimate();
    return quota === undefined || usage === undefined ? undefined : Math.max(0, quota - usage);
  },
  blob: async (path) => {
    const handle = await fileAt(await opfsRoot(), partsOf(path), false);
    if (handle === undefined) throw new OptioError("store_failed", `${path} is not there.`);
    return handle.getFile();
  },
  modelFile: async (path) => ({ kind: "opfs", path: partsOf(path) }),
};

function browserFacts(): StoreFacts {
  const store = createFactsStore("optio", "facts");
  return {
    get: (key) => get(key, store).catch(() => undefined),
    set: (key, value) => reporting(key, () => set(key, value, store)),
    delete: (key) => reporting(key, () => del(key, store)),
  };
}

const webLocks: StoreLock = {
  hold: (name, options) => {
    const lockName = `optio-store-${name}`;
    const news = new BroadcastChannel(lockName);
    news.onmessage = ({ data }: MessageEvent<StoreProgress>) => options.onWait?.(data);
    return new Promise((resolve, reject) => {
      navigator.locks
        .request(lockName, requestOptions(options), (lock) => {
          news.onmessage = null;
          if (lock === null) {
            news.close();
            throw new OptioError("store_busy", `Another tab is working on ${name}.`);
          }
          return new Promise<void>((release) => resolve(heldLock(news, release)));
        })
        .catch((error: unknown) => {
          news.close();
          reject(options.signal?.aborted ? options.signal.reason : error);
        });
    });
  },
};

function requestOptions({ wait = true, signal }: HoldOptions): LockOptions {
  // The two cannot be combined; what does not wait needs no way to stop waiting.
  if (!wait) return { ifAvailable: true };
  return signal === undefined ? {} : { signal };
}

function heldLock(news: BroadcastChannel, release: () => void): HeldLock {
  return {
    report: (progress) => news.postMessage(progress),
    // A browser takes no lock away from a worker that lives.
    lost: new AbortController().signal,
    release: async () => {
      news.close();
      release();
    },
  };
}

async function reporting<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storeError(path, error);
  }
}

function storeError(path: string, cause: unknown): OptioError {
  if (OptioError.isInstance(cause)) return cause;
  const full = cause instanceof DOMException && cause.name === "QuotaExceededError";
  return new OptioError(full ? "no_space" : "store_failed", `${path}: ${String(cause)}`, { cause });
}
