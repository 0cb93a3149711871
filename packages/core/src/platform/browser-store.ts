import { wrap } from "comlink";
import { untilAborted } from "../call.js";
import { OptioError } from "../errors.js";
import { type Outcome, unwrap } from "../scorer/outcome.js";
import { CallAborted } from "../scorer/protocol.js";
import type { AddOptions, ModelStore, StoreCallOptions, StoreSettings } from "../store/model-store.js";
import type { StoreProgress } from "../store/store-platform.js";
import { isStoreNotice, type StoreWorkerApi } from "./store-worker-api.js";
import { watchLife } from "./worker-life.js";

export interface ModelStoreOptions extends Partial<Omit<StoreSettings, "catalogue">> {
  /** Address of the worker's script, for pages whose bundler or policy wants it elsewhere. */
  readonly worker?: string | URL;
  /**
   * Default true. False: models are downloaded into memory and gone with the page; for private windows, and where the quota is
   * too small to keep them.
   */
  readonly save?: boolean;
}

/** The models of this origin: weights in the origin private file system, facts in IndexedDB. All tabs share them. */
export function createModelStore(options: ModelStoreOptions = {}): ModelStore {
  return new WorkerStore(options);
}

/** Milliseconds that the worker may take to start. */
const startMs = 20_000;

/** The page's side of the store. Its worker starts at the first call and lives as long as the page. */
class WorkerStore implements ModelStore {
  readonly #options: ModelStoreOptions;
  readonly #listeners = new Map<number, (progress: StoreProgress) => void>();
  #api: Promise<StoreWorkerApi> | undefined;
  #death = new AbortController();
  #lastCall = 0;

  constructor(options: ModelStoreOptions) {
    this.#options = options;
  }

  list: ModelStore["list"] = () => this.#ask((api) => api.list());
  status: ModelStore["status"] = (reference) => this.#ask((api) => api.status(reference));
  remove: ModelStore["remove"] = (reference) => this.#ask((api) => api.remove(reference));
  pin: ModelStore["pin"] = (id, pinned) => this.#ask((api) => api.pin(id, pinned));
  export: ModelStore["export"] = (id) => this.#ask((api) => api.export(id));

  get: ModelStore["get"] = async (reference, options = {}) => {
    await this.#askToPersist(reference);
    return this.#call(options, (api, id) => api.get(id, reference));
  };

  add: ModelStore["add"] = (file, options: AddOptions = {}) =>
    this.#call(options, (api, id) => api.add(id, file, options.name));

  verify: ModelStore["verify"] = (model, options = {}) => this.#call(options, (api, id) => api.verify(id, model));

  /** Without persistence the browser may throw a model away when space is short. Refusing is not an error. */
  async #askToPersist(reference: string | undefined): Promise<void> {
    const { storage } = navigator;
    if (this.#options.save === false) return;
    if (typeof storage?.persist !== "function" || (await storage.persisted().catch(() => true))) return;
    // Some browsers ask the user, who should be asked only when something is about to be stored.
    const status = await this.status(reference).catch(() => undefined);
    if (status !== undefined && status.state !== "stored") await storage.persist().catch(() => false);
  }

  async #call<T>(
    { signal, onProgress }: StoreCallOptions,
    work: (api: StoreWorkerApi, id: number) => Promise<Outcome<T>>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const id = ++this.#lastCall;
    if (onProgress !== undefined) this.#listeners.set(id, onProgress);
    const onAbort = () => void this.#api?.then((api) => api.cancel(id));
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await this.#ask((api) => work(api, id));
    } catch (error) {
      if (error instanceof CallAborted && signal?.aborted) throw signal.reason;
      throw error;
    } finally {
      signal?.removeEventListener("abort", onAbort);
      this.#listeners.delete(id);
    }
  }

  async #ask<T>(work: (api: StoreWorkerApi) => Promise<Outcome<T>>): Promise<T> {
    this.#api ??= this.#start();
    const api = await this.#api;
    return unwrap(await untilAborted(work(api), this.#death.signal));
  }

  async #start(): Promise<StoreWorkerApi> {
    const { worker: address, save = true, ...settings } = this.#options;
    const worker =
      address === undefined
        ? new Worker(new URL("./browser-store-worker.js", import.meta.url), { type: "module", name: "optio store" })
        : new Worker(address, { type: "module", name: "optio store" });
    this.#death = new AbortController();
    const death = this.#death;
    const onDeath = (reason: string) => {
      worker.terminate();
      if (this.#death === death) this.#api = undefined;
      death.abort(new OptioError("store_failed", `The store's worker stopped: ${reason}`, { hint: "Try again." }));
    };
    worker.addEventListener("error", (event) => onDeath(event.message || "its script failed"));
    worker.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
      if (isStoreNotice(data)) this.#listeners.get(data.call)?.(data.progress);
    });
    // Every method answers with a promise already, so the remote side has the very same type.
    const api = wrap<StoreWorkerApi>(worker) as unknown as StoreWorkerApi;
    const late = setTimeout(() => onDeath(`it did not start within ${startMs / 1000} s`), startMs);
    const lock = await untilAborted(
      api.open({ ...settings, save, baseAddress: document.baseURI }),
      death.signal,
    ).finally(() => clearTimeout(late));
    if (lock !== undefined) watchLife(lock, death.signal, () => onDeath("the browser ended it"));
    return api;
  }
}
