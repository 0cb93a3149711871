import type { Outcome } from "../scorer/outcome.js";
import type { ModelStatus, RemovedModel, StoreSettings } from "../store/model-store.js";
import type { StoreProgress } from "../store/store-platform.js";
import type { StoredModel } from "../store/stored-models.js";

export interface StoreWorkerSettings extends Omit<StoreSettings, "catalogue"> {
  /** What relative addresses are relative to: the page's address. */
  readonly baseAddress: string;
  /** False: models are kept in the worker's memory. */
  readonly save: boolean;
}

/** What the store's worker offers; comlink carries the calls. `call` names a call for `cancel` and for its progress. */
export interface StoreWorkerApi {
  /** Returns the name of a Web Lock that is held for as long as the worker lives; see `worker-life.ts`. */
  open(settings: StoreWorkerSettings): Promise<string | undefined>;
  list(): Promise<Outcome<readonly StoredModel[]>>;
  status(reference: string | undefined): Promise<Outcome<ModelStatus>>;
  get(call: number, reference: string | undefined): Promise<Outcome<StoredModel>>;
  add(call: number, file: string | Blob, name: string | undefined): Promise<Outcome<StoredModel>>;
  verify(call: number, id: string): Promise<Outcome<StoredModel>>;
  remove(reference: string): Promise<Outcome<RemovedModel>>;
  pin(id: string, pinned: boolean | undefined): Promise<Outcome<StoredModel>>;
  export(id: string): Promise<Outcome<Blob>>;
  cancel(call: number): Promise<void>;
}

/** What the worker says on its own. */
export interface StoreNotice {
  readonly optioStore: "progress";
  readonly call: number;
  readonly progress: StoreProgress;
}

export function isStoreNotice(data: unknown): data is StoreNotice {
  return typeof data === "object" && data !== null && "optioStore" in data;
}
