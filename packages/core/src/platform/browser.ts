import type { WasmVariant } from "../scorer/variant.js";
import type { ModuleAssets } from "../scorer/worker-api.js";
import { isWorkerNotice } from "../scorer/worker-api.js";
import type { WorkerHandle } from "../scorer/worker-handle.js";
import { watchLife } from "./worker-life.js";

export { createModelStore } from "./browser-store.js";

/** Logical processors that the browser admits to. */
export function processors(): number {
  return navigator.hardwareConcurrency || 1;
}

/** Every browser that shares memory runs the scorer's threads. */
export const threadsRun = true;

/** Where the built scorer lies; each address is written out, so that bundlers find and keep the files. */
const assets: Readonly<Record<WasmVariant, ModuleAssets>> = {
  simd: {
    glue: new URL("../../wasm/scorer.simd.mjs", import.meta.url).href,
    wasm: new URL("../../wasm/scorer.simd.wasm", import.meta.url).href,
  },
  "simd-threads": {
    glue: new URL("../../wasm/scorer.simd-threads.mjs", import.meta.url).href,
    wasm: new URL("../../wasm/scorer.simd-threads.wasm", import.meta.url).href,
    thread: new URL("../../wasm/scorer.simd-threads.worker.mjs", import.meta.url).href,
  },
  "relaxed-simd": {
    glue: new URL("../../wasm/scorer.relaxed-simd.mjs", import.meta.url).href,
    wasm: new URL("../../wasm/scorer.relaxed-simd.wasm", import.meta.url).href,
  },
  "relaxed-simd-threads": {
    glue: new URL("../../wasm/scorer.relaxed-simd-threads.mjs", import.meta.url).href,
    wasm: new URL("../../wasm/scorer.relaxed-simd-threads.wasm", import.meta.url).href,
    thread: new URL("../../wasm/scorer.relaxed-simd-threads.worker.mjs", import.meta.url).href,
  },
};

export function moduleAssets(variant: WasmVariant): ModuleAssets {
  return assets[variant];
}

export function spawnScorerWorker(address?: string | URL): WorkerHandle {
  const worker =
    address === undefined
      ? new Worker(new URL("./browser-worker.js", import.meta.url), { type: "module", name: "optio scorer" })
      : new Worker(address, { type: "module", name: "optio scorer" });
  const watch = new AbortController();
  return {
    endpoint: worker,
    onDeath(listener) {
      worker.addEventListener("error", (event) => listener(event.message || "its script failed"));
      worker.addEventListener("messageerror", () => listener("a message could not be read"));
      worker.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
        if (!isWorkerNotice(data) || data.optio !== "ready" || data.lock === undefined) return;
        watchLife(data.lock, watch.signal, () => listener("the browser ended it"));
      });
    },
    keepAlive() {},
    terminate() {
      watch.abort();
      worker.terminate();
    },
  };
}
