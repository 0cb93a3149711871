import { Worker } from "node:worker_threads";
import { createModelStore } from "@optio/core";
import type { ScorePlan, Scorer } from "@optio/core/engines";
import { afterEach, describe, expect, it } from "vitest";
import { moduleAssets, spawnScorerWorker } from "../../dist/platform/node.js";
import { nodeEndpoint } from "../../dist/platform/node-endpoint.js";
import { startWorkerScorer, type WorkerScorerOptions } from "../../dist/scorer/client.js";
import type { WorkerHandle } from "../../dist/scorer/worker-handle.js";

const script = new URL("../../dist/platform/node-worker.js", import.meta.url);
const opened: Scorer[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((scorer) => scorer.close()));
});

async function start(overrides: Partial<WorkerScorerOptions> = {}): Promise<Scorer> {
  const { file } = await createModelStore().get("smollm2-135m-instruct");
  const scorer = await startWorkerScorer({
    spawn: () => spawnScorerWorker(),
    start: { variant: "simd", threads: 1, assets: moduleAssets("simd") },
    load: { file, settings: { contextTokens: 1_024 } },
    ...overrides,
  });
  opened.push(scorer);
  return scorer;
}

/** A worker that a test can kill from outside, as an operating system does. */
function mortal(): { spawn: () => WorkerHandle; kill: () => void; spawned: () => number } {
  let worker: Worker | undefined;
  let count = 0;
  return {
    spawned: () => count,
    kill: () => void worker?.terminate(),
    spawn: () => {
      count += 1;
      const current = new Worker(script);
      worker = current;
      return {
        endpoint: nodeEndpoint(current),
        onDeath: (listener) => void current.on("exit", (code) => listener(`exit code ${code}`)),
        keepAlive: () => undefined,
        terminate: () => void current.terminate(),
      };
    },
  };
}

const plan = (length: number, seed = 1): ScorePlan => ({
  nodes: [
    { parent: -1, tokens: Int32Array.from({ length }, (_, at) => 1_000 + ((at * 7919 + seed) % 20_000)), reads: [] },
    { parent: 0, tokens: Int32Array.of(5, 6, 7), reads: [{ at: 2, ids: Int32Array.of(10, 11) }] },
  ],
});

describe("a scorer in a worker", () => {
  it("rejects every pending call when its worker is killed, and works again on the next", async () => {
    const worker = mortal();
    const scorer = await start({ spawn: worker.spawn });
    const pending = [scorer.score(plan(900)), scorer.tokenize([{ text: "waiting", special: false }])];
    setTimeout(worker.kill, 200);
    const [running, waiting] = await Promise.allSettled(pending);
    expect(running).toMatchObject({ status: "rejected", reason: { code: "engine_crashed" } });
    expect(waiting?.status).toBe("fulfilled");
    expect(worker.spawned()).toBe(2);
    await expect(scorer.score(plan(20))).resolves.toMatchObject({ evaluatedTokens: 23 });
  });

  it("is not restarted for ever", async () => {
    const worker = mortal();
    const scorer = await start({ spawn: worker.spawn, maxRestarts: 1 });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const call = scorer.score(plan(900));
      setTimeout(worker.kill, 2_500);
      await expect(call).rejects.toMatchObject({ code: "engine_crashed" });
    }
    await expect(scorer.score(plan(20))).rejects.toThrow(/not started again/);
  });

  it("fails to start, and does not hang, when the worker never answers", async () => {
    const silent = (): WorkerHandle => {
      const worker = new Worker("setInterval(() => {}, 1000)", { eval: true });
      return {
        endpoint: nodeEndpoint(worker),
        onDeath: () => undefined,
        keepAlive: () => undefined,
        terminate: () => void worker.terminate(),
      };
    };
    await expect(start({ spawn: silent, readyTimeoutMs: 200 })).rejects.toMatchObject({ code: "engine_start_failed" });
  });

  it("refuses a worker that speaks another protocol", async () => {
    const foreign = (): WorkerHandle => {
      const worker = new Worker("require('worker_threads').parentPort.postMessage({ optio: 'ready', protocol: 99 })", {
        eval: true,
      });
      return {
        endpoint: nodeEndpoint(worker),
        onDeath: () => undefined,
        keepAlive: () => undefined,
        terminate: () => void worker.terminate(),
      };
    };
    await expect(start({ spawn: foreign })).rejects.toMatchObject({ code: "protocol_mismatch" });
  });

  it("says what is wrong when a file of the module is missing", async () => {
    const assets = { ...moduleAssets("simd"), wasm: new URL("missing.wasm", script).href };
    await expect(start({ start: { variant: "simd", threads: 1, assets } })).rejects.toMatchObject({
      code: "engine_start_failed",
      message: expect.stringContaining("missing.wasm"),
    });
  });

  it("keeps code and details of the scorer's errors", async () => {
    const scorer = await start();
    await expect(scorer.score(plan(1_100))).rejects.toMatchObject({
      code: "context_too_long",
      details: { needed: 1_103, available: 1_024 },
    });
  });

  it("can be closed twice and during a call", async () => {
    const scorer = await start();
    const running = scorer.score(plan(900));
    const outcome = expect(running).rejects.toMatchObject({ code: "engine_closed" });
    setTimeout(() => void scorer.close(), 100);
    await outcome;
    await scorer.close();
    await expect(scorer.forget()).rejects.toMatchObject({ code: "engine_closed" });
  });

  it("ends a load that is aborted", async () => {
    const controller = new AbortController();
    const starting = start({ signal: controller.signal, onLoadProgress: () => controller.abort("no more") });
    await expect(starting).rejects.toBe("no more");
  });
});
