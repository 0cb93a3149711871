import { describe, expect, it } from "vitest";
import type { EngineInfo } from "../engines/engine.js";
import { makeReceipt } from "./receipt.js";

const readout = { length: "total", prior: true, orders: 2, kind: "letter" } as const;
const usage = { inputTokens: 100, outputTokens: 0, evaluatedTokens: 40, reusedTokens: 60, reusedPriors: 1 } as const;
const engine: EngineInfo = {
  kind: "wasm",
  backend: "simd-threads",
  threads: 4,
  model: { id: "tiny", sha256: "ab".repeat(32), quantization: "Q4_1" },
  contextTokens: 2048,
  scorer: { target: "wasm", llamaRelease: "b11434" },
  templateDate: "2025-01-01",
  defaultReadout: readout,
  profile: { sha256: "cd".repeat(32), version: 1, id: "plain" },
};

describe("makeReceipt", () => {
  it("names everything that makes an answer repeatable, in a stable order", () => {
    const receipt = makeReceipt({
      optioVersion: "0.1.0",
      engine,
      decision: { readout, usage, batchedStates: 8 },
      confidenceFormula: "margin",
      reuse: true,
    });
    expect(JSON.stringify(receipt)).toBe(
      JSON.stringify({
        optioVersion: "0.1.0",
        engine: { kind: "wasm", backend: "simd-threads", threads: 4, llamaRelease: "b11434" },
        model: { id: "tiny", sha256: "ab".repeat(32), quantization: "Q4_1" },
        profile: { id: "plain", version: 1, sha256: "cd".repeat(32) },
        templateDate: "2025-01-01",
        readout: { kind: "letter", orders: 2, prior: true, length: "total" },
        confidenceFormula: "margin",
        calibration: null,
        reuse: { allowed: true, tokens: 60, priors: 1, batchedStates: 8 },
        upstream: null,
        attempts: [{ engine: "wasm", destination: null, outcome: "answered", reason: null }],
      }),
    );
  });

  it("says null for what the engine cannot know", () => {
    const receipt = makeReceipt({
      optioVersion: "0.1.0",
      engine: { kind: "remote", backend: "example.org", model: { id: "hosted" }, defaultReadout: readout },
      decision: { readout, usage },
      confidenceFormula: "scaled-max",
      reuse: false,
    });
    expect(receipt.engine).toEqual({ kind: "remote", backend: "example.org", threads: null, llamaRelease: null });
    expect(receipt.model).toEqual({ id: "hosted", sha256: null, quantization: null });
    expect(receipt.profile).toBeNull();
    expect(receipt.templateDate).toBeNull();
    expect(receipt.reuse).toMatchObject({ allowed: false, batchedStates: 1 });
    expect(JSON.parse(JSON.stringify(receipt))).toEqual(receipt);
  });
});
