import { expose } from "comlink";
import { OptioError } from "../errors.js";
import { createScorerWorker, readyNotice, type WorkerHost } from "../scorer/worker.js";
import type { WorkerNotice } from "../scorer/worker-api.js";
import { openModelFile } from "./browser-files.js";
import { holdLifeLock } from "./worker-life.js";

/** Entry of the scorer's module worker in a browser. */
const host: WorkerHost = {
  openModelFile,
  notify: (notice: WorkerNotice) => globalThis.postMessage(notice),
  // The address is data: bundlers must leave this import alone.
  importGlue: (address) => import(/* @vite-ignore */ /* webpackIgnore: true */ address),
  createThread: (address) => new Worker(address, { type: "module", name: "em-pthread" }),
  compile: compileFrom,
};

async function compileFrom(address: string): Promise<WebAssembly.Module> {
  const response = await fetch(address);
  if (!response.ok) throw new OptioError("engine_start_failed", `${address} answered ${response.status}.`);
  // A server that does not know the type of .wasm files is common; compiling from the bytes works with any type.
  return response.headers.get("content-type")?.startsWith("application/wasm")
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}

expose(createScorerWorker(host), globalThis as unknown as Parameters<typeof expose>[1]);
void holdLifeLock().then((lock) => host.notify(lock === undefined ? readyNotice : { ...readyNotice, lock }));
