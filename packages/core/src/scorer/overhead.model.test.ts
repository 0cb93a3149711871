import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { builtInProfile, createDecider, type Decider, noul } from "@optio/core";
import { createLocalEngine } from "@optio/core/engines";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spawnScorerWorker } from "../../dist/platform/node.js";
import { startWorkerScorer } from "../../dist/scorer/client.js";

/**
 * What a decision costs beside the model: the built library with its real worker, and a module that answers at once.
 * Run beside the model tests, which leave it the processors.
 */
const aimMs = 2;
/** The test's own bound: a machine that is busy with something else must not fail it. */
const boundMs = 10;
const rounds = 200;

const state = "The quick brown fox jumps over the lazy dog. ".repeat(27);
const folder = mkdtempSync(join(tmpdir(), "optio-overhead-"));
let decider: Decider;

beforeAll(async () => {
  const wasm = join(folder, "empty.wasm");
  writeFileSync(wasm, Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
  const weights = join(folder, "none.gguf");
  writeFileSync(weights, "GGUF");
  const scorer = await startWorkerScorer({
    spawn: () => spawnScorerWorker(),
    start: {
      variant: "simd",
      threads: 1,
      assets: { glue: new URL("../../test/fake-module.mjs", import.meta.url).href, wasm: pathToFileURL(wasm).href },
    },
    load: { file: { kind: "path", path: weights }, settings: { contextTokens: 4_096 } },
  });
  const profile = builtInProfile("state-first");
  const readout = { kind: "letter", orders: 2, prior: false, length: "total" } as const;
  const engine = await createLocalEngine({
    kind: "wasm",
    scorer,
    model: { identity: { id: "none" }, contextTokens: 4_096, profile, readout },
  });
  decider = createDecider({ engine });
});

afterAll(async () => {
  await decider.close();
  rmSync(folder, { recursive: true });
});

describe("what a decision costs beside the model", () => {
  it.each([1, 8])("is little for %i questions about a state of 500 tokens", async (count) => {
    const questions = Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`q${index}`, noul(`Does it speak of animal number ${index}?`)]),
    );
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const began = performance.now();
      await decider.decide({ state, questions });
      // The first rounds are not compiled yet.
      if (round >= rounds / 4) times.push(performance.now() - began);
    }
    times.sort((a, b) => a - b);
    const at = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN;
    console.info(
      `${count} questions: ${at(0.5).toFixed(2)} ms a decision (a tenth takes more than ${at(0.9).toFixed(2)}); aim: ${aimMs}`,
    );
    expect(at(0.5)).toBeLessThan(boundMs);
  });
});
