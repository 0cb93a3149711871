import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDecider, createModelStore, noul, OptioError, wasm } from "@optio/core";
import type { Scorer } from "@optio/core/engines";
import { afterAll, describe, expect, it } from "vitest";
import { moduleAssets, spawnScorerWorker } from "../../dist/platform/node.js";
import { startWorkerScorer } from "../../dist/scorer/client.js";

// What the built scorer says of files and calls that are wrong, as it arrives from its worker.
const hint = expect.stringMatching(/^[`A-Z].{15,}[.)]$/u);
const model = "smollm2-135m-instruct";
const folder = mkdtempSync(join(tmpdir(), "optio-scorer-errors-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A GGUF file of some facts and one tensor of 32 numbers. */
function gguf(facts: Readonly<Record<string, string | number>>): Buffer {
  const u32 = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer);
  const text = (value: string) => Buffer.concat([u32(value.length, 0), Buffer.from(value)]);
  const pairs = Object.entries(facts).map(([key, value]) =>
    Buffer.concat(typeof value === "string" ? [text(key), u32(8), text(value)] : [text(key), u32(4, value)]),
  );
  const counts = u32(1, 0, pairs.length, 0);
  const tensor = Buffer.concat([text("weights"), u32(1, 32, 0, 0, 0, 0)]);
  const head = Buffer.concat([Buffer.from("GGUF"), u32(3), counts, ...pairs, tensor]);
  return Buffer.concat([head, Buffer.alloc(-head.length & 31), Buffer.alloc(32 * 4)]);
}

function fileOf(bytes: Buffer, length = bytes.length): string {
  const path = join(folder, "model.gguf");
  writeFileSync(path, bytes);
  truncateSync(path, length);
  return path;
}

const startOn = (path: string, contextTokens = 256): Promise<Scorer> =>
  startWorkerScorer({
    spawn: () => spawnScorerWorker(),
    start: { variant: "simd", threads: 1, assets: moduleAssets("simd") },
    load: { file: { kind: "path", path }, settings: { contextTokens } },
  });

describe("a file that the scorer refuses", () => {
  it.each([
    ["a page", Buffer.from("<!doctype html>")],
    ["a magic and nothing else", Buffer.from("GGUF")],
    ["facts without an architecture", gguf({ "general.name": "x" })],
  ])("%s", async (_, bytes) => {
    await expect(startOn(fileOf(bytes))).rejects.toMatchObject({ code: "model_invalid", hint });
  });

  it.each([
    ["an architecture that llama.cpp does not know", gguf({ "general.architecture": "nonsuch" })],
    ["one part of several", gguf({ "general.architecture": "llama", "split.count": 2 })],
  ])("%s", async (_, bytes) => {
    await expect(startOn(fileOf(bytes))).rejects.toMatchObject({ code: "model_unsupported", hint });
  });

  it("more bytes than a module can have", async () => {
    const huge = fileOf(gguf({ "general.architecture": "llama" }), 5 * 2 ** 30);
    await expect(startOn(huge)).rejects.toMatchObject({
      code: "out_of_memory",
      hint,
      message: expect.stringContaining("4 GiB"),
    });
  });

  it("no file at all, with the system's words as the cause", async () => {
    await expect(startOn(join(folder, "none.gguf"))).rejects.toMatchObject({
      code: "store_failed",
      hint,
      cause: expect.stringContaining("ENOENT"),
    });
  });
});

describe("a call that the scorer refuses", () => {
  it("a path that is too long, a plan that makes no sense", async () => {
    const { file } = await createModelStore().get(model);
    if (file.kind !== "path") throw expect.fail("the fixture is not a file");
    const scorer = await startOn(file.path);
    const tokens = (length: number) => Int32Array.from({ length }, (_, at) => 1_000 + at);
    try {
      const long = scorer.score({ nodes: [{ parent: -1, tokens: tokens(300), reads: [] }] });
      await expect(long).rejects.toMatchObject({ code: "context_too_long", hint, details: { available: 256 } });
      const orphan = scorer.score({ nodes: [{ parent: 7, tokens: tokens(3), reads: [] }] });
      await expect(orphan).rejects.toMatchObject({ code: "internal", hint, message: expect.stringMatching(/\S/) });
      const late = scorer.score({ nodes: [{ parent: -1, tokens: tokens(250), reads: [] }] }, { timeoutMs: 1 });
      await expect(late).rejects.toMatchObject({ code: "timeout", hint });
    } finally {
      await scorer.close();
    }
  });
});

describe("a decision on the real model", () => {
  it("is refused where the model thinks of something else", async () => {
    const engine = wasm({ model, variant: "simd", contextTokens: 512 });
    await using decider = createDecider({ engine, minLabelMass: 1 });
    const outcome = decider.decide({ state: "My bill is wrong.", questions: { angry: noul("Angry?") } });
    const error = await outcome.then(() => expect.fail("no error"), OptioError.from);
    expect(error).toMatchObject({ code: "low_label_mass", hint, details: { question: "angry" } });
  });
});
