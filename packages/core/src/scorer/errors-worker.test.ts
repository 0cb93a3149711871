import { afterEach, describe, expect, it, vi } from "vitest";
import type { OptioError } from "../errors.js";
import { spawnScorerWorker } from "../platform/node.js";
import { startWorkerScorer, type WorkerScorerOptions } from "./client.js";
import { unwrap } from "./outcome.js";
import { chooseVariant, detectFeatures } from "./variant.js";
import { createScorerWorker, type WorkerHost } from "./worker.js";

const hint = expect.stringMatching(/^[`A-Z].{15,}[.)]$/u);
const assets = { glue: "glue.mjs", wasm: "scorer.wasm" };
const startRequest = { variant: "simd", threads: 1, assets } as const;

describe("a worker thread that is not what it should be", () => {
  /** Starts a scorer in a real worker thread that runs `script`. */
  const starting = (script: string, overrides: Partial<WorkerScorerOptions> = {}) =>
    startWorkerScorer({
      spawn: () => spawnScorerWorker(`data:text/javascript,${encodeURIComponent(script)}`),
      start: startRequest,
      load: { file: { kind: "path", path: "none.gguf" }, settings: { contextTokens: 256 } },
      ...overrides,
    });
  const post = (notice: object) =>
    `import { parentPort } from "node:worker_threads"; parentPort.postMessage(${JSON.stringify(notice)});`;

  it("never says that it is ready", async () => {
    const silent = starting("setInterval(() => {}, 1000)", { readyTimeoutMs: 100 });
    await expect(silent).rejects.toMatchObject({ code: "engine_start_failed", hint });
  });

  it("is ready and answers nothing", async () => {
    const mute = starting(`${post({ optio: "ready", protocol: 2 })} setInterval(() => {}, 1000)`, {
      readyTimeoutMs: 500,
    });
    await expect(mute).rejects.toMatchObject({ code: "engine_start_failed", hint });
  });

  it("says that it failed", async () => {
    const failed = starting(post({ optio: "failed", message: "no module script" }));
    await expect(failed).rejects.toMatchObject({ code: "engine_start_failed", hint, message: "no module script" });
  });

  it("speaks another protocol", async () => {
    const foreign = starting(post({ optio: "ready", protocol: 99 }));
    await expect(foreign).rejects.toMatchObject({ code: "protocol_mismatch", hint });
  });

  it("ends during a call", async () => {
    const mortal = starting(`${post({ optio: "ready", protocol: 2 })} setTimeout(() => process.exit(7), 50)`);
    const error = mortal.catch((reason: unknown) => reason);
    expect(await error).toMatchObject({ code: "engine_crashed", hint, message: expect.stringContaining("7") });
  });

  it("ends before it is ready", async () => {
    const error = { code: "engine_start_failed", hint, message: expect.stringContaining("stopped") };
    await expect(starting("process.exit(3)")).rejects.toMatchObject(error);
  });

  it.each([["http://127.0.0.1/worker.js"], ["no address"], [new URL("./none.js", import.meta.url)]])(
    "is not at the address %s",
    async (address) => {
      const nowhere = starting("", { spawn: () => spawnScorerWorker(address) });
      await expect(nowhere).rejects.toMatchObject({ code: "engine_start_failed", hint });
    },
  );

  it("throws outside of any call", async () => {
    const script = `${post({ optio: "ready", protocol: 2 })} setTimeout(() => { throw new Error("lost") }, 50)`;
    await expect(starting(script)).rejects.toMatchObject({
      code: "engine_crashed",
      hint,
      message: expect.stringContaining("lost"),
    });
  });
});

/** WebAssembly as a compiler would write it, with one function `run`. */
const header = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const oneFunction = [
  ...[0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7f], // type () -> i32
  ...[0x03, 0x02, 0x01, 0x00], // one function of that type
  ...[0x07, 0x07, 0x01, 0x03, 0x72, 0x75, 0x6e, 0x00, 0x00], // exported as "run"
];
const trapping = Uint8Array.of(
  ...header,
  ...oneFunction,
  ...[0x0a, 0x05, 0x01, 0x03, 0x00, 0x00, 0x0b], // its body: unreachable
);
const empty = Uint8Array.from(header);

describe("a module that is not what it should be", () => {
  /** The worker's side over a module whose exports a test gives. */
  function workerOver(exports: object, host: Partial<WorkerHost> = {}) {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 1 });
    const module = {
      HEAPU8: new Uint8Array(memory.buffer),
      _optio_alloc: () => 1024,
      _optio_free: () => undefined,
      _optio_call: () => 0,
      _optio_answer: () => 0,
      _optio_answer_bytes: () => 0,
      ...exports,
    };
    return createScorerWorker({
      compile: async () => new WebAssembly.Module(empty),
      importGlue: async () => ({ default: async () => module }),
      createThread: () => undefined,
      openModelFile: () => Promise.reject(new TypeError("no file")),
      notify: () => undefined,
      ...host,
    });
  }
  const started = async (...parts: Parameters<typeof workerOver>) =>
    unwrap(await workerOver(...parts).start(startRequest));

  it("a script that cannot be loaded keeps the loader's error as the cause", async () => {
    const address = `data:text/javascript,${encodeURIComponent('throw new TypeError("gone")')}`;
    const missing = started({}, { importGlue: () => import(address) });
    await expect(missing).rejects.toMatchObject({
      code: "engine_start_failed",
      hint,
      // As text: it came out of a worker.
      cause: "TypeError: gone",
    });
  });

  it("a script that is no module of ours, a file that is no WebAssembly", async () => {
    const foreign = started({}, { importGlue: async () => ({ create: () => undefined }) });
    const damaged = started({}, { compile: () => WebAssembly.compile(Uint8Array.of(1, 2, 3)) });
    for (const outcome of [foreign, damaged]) {
      await expect(outcome).rejects.toMatchObject({ code: "engine_start_failed", hint });
    }
  });

  it("a trap", async () => {
    const { run } = new WebAssembly.Instance(new WebAssembly.Module(trapping)).exports;
    await expect(started({ _optio_call: run })).rejects.toMatchObject({
      code: "engine_crashed",
      hint,
      cause: expect.stringContaining("unreachable"),
    });
  });

  it("memory that cannot grow, and no room for a message", async () => {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 1 });
    const full = started({ _optio_call: () => memory.grow(1) });
    const crowded = started({ _optio_alloc: () => 0 });
    for (const outcome of [full, crowded]) {
      await expect(outcome).rejects.toMatchObject({ code: "out_of_memory", hint });
    }
  });

  it("an answer that is no frame", async () => {
    await expect(started({ _optio_answer_bytes: () => 4 })).rejects.toMatchObject({ code: "protocol_mismatch", hint });
  });

  it("a call before the start is a defect", async () => {
    const outcome = await workerOver({}).forget();
    expect(() => unwrap(outcome)).toThrow(expect.objectContaining({ code: "internal", hint }));
  });
});

describe("a machine that cannot run the scorer", () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });
  const chosen = (asked: Parameters<typeof chooseVariant>[1]) => {
    try {
      return chooseVariant(detectFeatures(4), asked);
    } catch (error) {
      return error as OptioError;
    }
  };

  it("has no SIMD", () => {
    vi.spyOn(WebAssembly, "validate").mockReturnValue(false);
    expect(chosen({})).toMatchObject({ code: "engine_unavailable", hint });
  });

  it("shares no memory, where threads are asked for", () => {
    vi.stubGlobal("SharedArrayBuffer", undefined);
    expect(chosen({ variant: "simd-threads" })).toMatchObject({ code: "engine_unavailable", hint });
    expect(chosen({})).toEqual({ variant: "simd", threads: 1 });
  });

  it("is asked for threads that no build has", () => {
    expect(chosen({ threads: 0 })).toMatchObject({ code: "invalid_setting", hint });
    expect(chosen({ variant: "simd", threads: 2 })).toMatchObject({ code: "invalid_setting", hint });
  });
});
