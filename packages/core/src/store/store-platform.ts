import type { ModelFile } from "./model-file.js";

/** What the store needs of a machine; one for Node, one for browsers, one in memory. */
export interface StorePlatform {
  readonly files: StoreFiles;
  readonly facts: StoreFacts;
  readonly lock: StoreLock;
  /** A fresh SHA-256. */
  createHash(): Sha256;
  readonly fetch: typeof fetch;
  /** False where an `If-Range` header would need a permission that model hosts seldom give: other origins, in a browser. */
  mayAskIfRange(address: string): boolean;
  /** The user's own files by path; absent in browsers. */
  readonly local?: LocalFiles;
  /** What relative addresses are relative to; absent where references like `./x.gguf` are paths. */
  readonly baseAddress?: string;
}

/** Files of the store. Paths are relative to its root, with `/`; their folders appear when they are written. */
export interface StoreFiles {
  /** Bytes; `undefined` when there is no such file. */
  size(path: string): Promise<number | undefined>;
  /** Opens for writing at byte `at`; what lay behind it is cut off. */
  append(path: string, at: number): Promise<AppendFile>;
  /** The bytes from `start` up to but not including `end`; to the end of the file by default. */
  read(path: string, start?: number, end?: number): AsyncIterable<Uint8Array>;
  /** Replaces `to` in one step. */
  rename(from: string, to: string): Promise<void>;
  /** A file, or a folder with all that is in it; nothing happens when it is absent. */
  remove(path: string): Promise<void>;
  /** Names in a folder; none when it is absent. */
  list(folder: string): Promise<readonly string[]>;
  /** Bytes that can still be written; `undefined` when that cannot be known. */
  freeBytes(): Promise<number | undefined>;
  /** The file, read when the blob is. */
  blob(path: string): Promise<Blob>;
  /** What a worker needs to open the file. */
  modelFile(path: string): Promise<ModelFile>;
}

export interface AppendFile {
  /** @throws OptioError `no_space`, `store_failed`. */
  write(bytes: Uint8Array): Promise<void>;
  /** Everything written is safe once this resolves. */
  close(): Promise<void>;
}

/** Small JSON values by key; a key has the form of a path. */
export interface StoreFacts {
  /** What was set, to be checked by the reader; `undefined` when nothing was, or it cannot be read. */
  get(key: string): Promise<unknown>;
  set(key: string, value: FactValue): Promise<void>;
  delete(key: string): Promise<void>;
}

export type FactValue = Readonly<Record<string, string | number | boolean | undefined>>;

/** One holder a name, over all processes or tabs that use the store. */
export interface StoreLock {
  /**
   * Waits until nobody else holds the name.
   *
   * @throws OptioError `store_busy` when it is held and `wait` is false; the signal's reason when aborted.
   */
  hold(name: string, options: HoldOptions): Promise<HeldLock>;
}

export interface HoldOptions {
  /** Default true. */
  readonly wait?: boolean;
  readonly signal?: AbortSignal;
  /** What the present holder reports, as often as it does. */
  readonly onWait?: (progress: StoreProgress) => void;
}

export interface HeldLock {
  /** Tells those who wait how far the work is. */
  report(progress: StoreProgress): void;
  /** Aborted when the lock was taken over, as happens after this process slept too long. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** How far a download or a check is. */
export type StoreProgress =
  /** Bytes present and bytes in all (0 while unknown); bytes a second over the last five seconds, 0 in a stall. */
  | { readonly phase: "download"; readonly loaded: number; readonly total: number; readonly bytesPerSecond: number }
  | { readonly phase: "verify"; readonly loaded: number; readonly total: number }
  /** A model was removed to make room. */
  | { readonly phase: "evict"; readonly id: string; readonly freedBytes: number };

export interface Sha256 {
  update(bytes: Uint8Array): void;
  /** Lower-case hex; ends the hash. */
  hex(): string;
}

export interface LocalFiles {
  /** The absolute path; takes `~` and `file:` addresses. */
  absolute(path: string): string;
  /** `undefined` when there is no such file. */
  stat(path: string): Promise<{ readonly sizeBytes: number; readonly modifiedMs: number } | undefined>;
  read(path: string): AsyncIterable<Uint8Array>;
}
