import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parentPort, Worker } from "node:worker_threads";
import { expose } from "comlink";
import { createScorerWorker, readyNotice, type WorkerHost } from "../scorer/worker.js";
import { nodeEndpoint } from "./node-endpoint.js";
import { openModelFile } from "./node-files.js";

/** Entry of the scorer's worker thread in Node, Deno and Bun. */
const port = parentPort;
if (port !== null) {
  const host: WorkerHost = {
    openModelFile: async (file) => openModelFile(file),
    notify: (notice) => port.postMessage(notice),
    importGlue: (address) => import(address),
    createThread: (address) => {
      // The name tells emscripten's script what it is; the data says the same to runtimes without worker names.
      const thread = new Worker(new URL(address), { name: "em-pthread", workerData: "em-pthread" });
      thread.unref();
      return thread;
    },
    compile: async (address) => WebAssembly.compile(await readFile(fileURLToPath(address))),
  };
  expose(createScorerWorker(host), nodeEndpoint(port));
  host.notify(readyNotice);
}
