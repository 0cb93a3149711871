import { describe, expect, it } from "vitest";
import type { Reading } from "../engines/engine.js";
import { readPass } from "./read-pass.js";

const pass = (reading: Reading) => ({ order: [1, 0], state: "actual", reading }) as const;

describe("readPass", () => {
  it.each<[Reading]>([
    [{ kind: "letter", logits: [Math.log(3), 0], logSumExp: 10 }],
    [{ kind: "sequence", tokenLogProbs: [[-1, -1], [-1 - Math.log(3)]] }],
    [{ kind: "probabilities", probabilities: [0.75, 0.25] }],
  ])("reads by option, not by place: $kind", (reading) => {
    const { logProbabilities } = readPass(pass(reading), "per-token");
    expect(logProbabilities.map(Math.exp)).toEqual([expect.closeTo(0.75, 9), expect.closeTo(0.25, 9)]);
  });

  it.each<[Reading]>([
    [{ kind: "letter", logits: [1, 2, 3], logSumExp: 10 }],
    [{ kind: "sequence", tokenLogProbs: [[-1]] }],
    [{ kind: "probabilities", probabilities: [1] }],
  ])("refuses numbers for another count of options than the order has: $kind", (reading) => {
    expect(() => readPass(pass(reading), "per-token")).toThrow(
      expect.objectContaining({ code: "invalid_distribution" }),
    );
  });
});
