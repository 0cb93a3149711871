import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { WasmVariant } from "../scorer/variant.js";
import type { ModuleAssets } from "../scorer/worker-api.js";
import type { WorkerHandle } from "../scorer/worker-handle.js";
import { nodeEndpoint } from "./node-endpoint.js";

export { createModelStore } from "./node-store.js";

/** Logical processors that this process may use. */
export function processors(): number {
  return availableParallelism();
}

/** Whether a worker may start the workers that are the scorer's threads: in Bun 1.4 these never answer. */
export const threadsRun = process.versions["bun"] === undefined;

/** Where the built scorer lies in this package. */
export function moduleAssets(variant: WasmVariant): ModuleAssets {
  const at = (file: string): string => new URL(`../../wasm/${file}`, import.meta.url).href;
  return {
    glue: at(`scorer.${variant}.mjs`),
    wasm: at(`scorer.${variant}.wasm`),
    thread: at(`scorer.${variant}.worker.mjs`),
  };
}

export function spawnScorerWorker(address?: string | URL): WorkerHandle {
  const worker = new Worker(new URL(address ?? new URL("./node-worker.js", import.meta.url)));
  let ended = false;
  return {
    endpoint: nodeEndpoint(worker),
    onDeath(listener) {
      const report = (reason: string) => {
        if (!ended) listener(reason);
        ended = true;
      };
      worker.on("error", (error) => report(error instanceof Error ? error.message : String(error)));
      worker.on("exit", (code) => report(`exit code ${code}`));
    },
    keepAlive(alive) {
      if (alive) worker.ref();
      else worker.unref();
    },
    terminate() {
      ended = true;
      void worker.terminate();
    },
  };
}
