import type { CatalogueEntry } from "./catalogue.js";
import type { SourceSettings } from "./model-sources.js";
import type { StoreProgress } from "./store-platform.js";
import type { StoredModel } from "./stored-models.js";

export type { StoredModel } from "./stored-models.js";

/** The models on this machine. Every process and tab with the same store shares them. */
export interface ModelStore {
  /** What is stored whole, by id. */
  list(): Promise<readonly StoredModel[]>;
  /** What is here of a model. Nothing is downloaded. @throws OptioError `model_not_found` */
  status(reference?: string): Promise<ModelStatus>;
  /**
   * The model, downloaded if it is not here yet. An abort keeps what has arrived, and the next call continues it.
   *
   * @param reference a catalogue id, the id of a model that was added, an http or https address of a GGUF, or a path (Node,
   *   Deno, Bun); the catalogue's default model when absent
   * @throws OptioError `model_not_found`, `model_invalid`, `download_failed`, `download_stalled`, `hash_mismatch`,
   *   `no_space`, `store_busy`, `store_failed`, `invalid_setting`; the signal's reason when aborted.
   */
  get(reference?: string, options?: StoreCallOptions): Promise<StoredModel>;
  /**
   * Copies a file, or downloads an address, into the store. A file that is there already is not copied twice.
   *
   * @throws OptioError as `get`
   */
  add(file: string | Blob, options?: AddOptions): Promise<StoredModel>;
  /**
   * Reads a stored model again and compares its hash.
   *
   * @throws OptioError `model_not_found`, `hash_mismatch` (nothing is removed).
   */
  verify(id: string, options?: StoreCallOptions): Promise<StoredModel>;
  /**
   * Removes a model, or what a broken-off download left of it.
   *
   * @throws OptioError `model_not_found` when there is nothing of it; `store_busy` while it is being downloaded.
   */
  remove(reference: string): Promise<RemovedModel>;
  /**
   * Keeps a model from being removed to make room, or allows that again. `remove` still removes it.
   *
   * @param pinned default true
   * @throws OptioError `model_not_found`
   */
  pin(id: string, pinned?: boolean): Promise<StoredModel>;
  /**
   * The bytes of a stored model, to be saved elsewhere. They are read when the blob is, not before.
   *
   * @throws OptioError `model_not_found`
   */
  export(id: string): Promise<Blob>;
}

export type ModelStatus =
  /** `totalBytes` is absent for addresses whose size is not known yet. */
  | { readonly state: "absent"; readonly totalBytes?: number }
  | { readonly state: "partial"; readonly loadedBytes: number; readonly totalBytes?: number }
  | { readonly state: "stored"; readonly model: StoredModel };

export interface StoreCallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: StoreProgress) => void;
}

export interface AddOptions extends StoreCallOptions {
  /** File name to store a `Blob` by; a `File` has its own. */
  readonly name?: string;
}

export interface RemovedModel {
  readonly id: string;
  readonly freedBytes: number;
}

export interface StoreSettings extends SourceSettings {
  readonly catalogue: readonly CatalogueEntry[];
  /** Bytes that all models may take together. Default: what the disk, or the browser for this origin, has. */
  readonly maxBytes?: number | undefined;
  /**
   * What happens when a model does not fit. `never`: the error `no_space` names what could be removed. `least-recently-used`:
   * models are removed, the longest unused first, but none that is pinned or came from a file; `onProgress` tells each. Default `never`.
   */
  readonly evict?: "never" | "least-recently-used" | undefined;
  /** Milliseconds without a byte after which an attempt to download is given up. Default 30,000. */
  readonly stallMs?: number | undefined;
  /** Attempts that may fail in a row. Default 6. */
  readonly attempts?: number | undefined;
  /** Milliseconds before the first retry. Default 500. */
  readonly backOffMs?: number | undefined;
  /** Milliseconds between reports of progress. Default 250. */
  readonly progressMs?: number | undefined;
}
