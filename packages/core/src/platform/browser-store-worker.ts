import { expose } from "comlink";
import { catalogue } from "../generated/models.js";
import { type Outcome, outcomeOf } from "../scorer/outcome.js";
import { CallAborted } from "../scorer/protocol.js";
import { memoryStorePlatform } from "../store/memory-platform.js";
import type { ModelStore, StoreCallOptions } from "../store/model-store.js";
import { createStore } from "../store/store.js";
import { browserStorePlatform } from "./browser-store-platform.js";
import type { StoreNotice, StoreWorkerApi } from "./store-worker-api.js";
import { holdLifeLock } from "./worker-life.js";

/** Entry of the worker that downloads and keeps models: only workers may write files synchronously. */
let store: ModelStore;
const running = new Map<number, AbortController>();

async function call<T>(id: number, work: (options: StoreCallOptions) => Promise<T>): Promise<Outcome<T>> {
  const controller = new AbortController();
  running.set(id, controller);
  const onProgress: StoreCallOptions["onProgress"] = (progress) => {
    globalThis.postMessage({ optioStore: "progress", call: id, progress } satisfies StoreNotice);
  };
  try {
    return await outcomeOf(() => work({ signal: controller.signal, onProgress }));
  } finally {
    running.delete(id);
  }
}

const api: StoreWorkerApi = {
  open: async ({ baseAddress, save, ...settings }) => {
    const platform = browserStorePlatform(baseAddress);
    store = createStore(save ? platform : memoryStorePlatform(platform), { ...settings, catalogue });
    return holdLifeLock();
  },
  list: () => outcomeOf(() => store.list()),
  status: (reference) => outcomeOf(() => store.status(reference)),
  get: (id, reference) => call(id, (options) => store.get(reference, options)),
  add: (id, file, name) =>
    call(id, (options) => store.add(file, { ...options, ...(name === undefined ? {} : { name }) })),
  verify: (id, model) => call(id, (options) => store.verify(model, options)),
  remove: (reference) => outcomeOf(() => store.remove(reference)),
  pin: (id, pinned) => outcomeOf(() => store.pin(id, pinned)),
  export: (id) => outcomeOf(() => store.export(id)),
  cancel: async (id) => running.get(id)?.abort(new CallAborted()),
};

expose(api, globalThis as unknown as Parameters<typeof expose>[1]);
