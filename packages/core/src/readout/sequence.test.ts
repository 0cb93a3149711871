import { describe, expect, it } from "vitest";
import { toProbabilities } from "./log-softmax.js";
import { readSequences } from "./sequence.js";

const read = (tokenLogProbs: number[][], length: "total" | "per-token" = "total", optionCount = tokenLogProbs.length) =>
  readSequences({ kind: "sequence", tokenLogProbs }, optionCount, length);
const codeOf = (code: string) => expect.objectContaining({ code });

const golden = [[-0.5, -0.25], [-1], [-0.1, -0.2, -1.2]];

describe("readSequences", () => {
  it("compares the probabilities of whole texts", () => {
    expect(toProbabilities(read(golden).logProbabilities)).toEqual([
      expect.closeTo(0.44421397916166544, 12),
      expect.closeTo(0.3459541948223698, 12),
      expect.closeTo(0.20983182601596484, 12),
    ]);
  });

  it("compares means per token when asked", () => {
    expect(toProbabilities(read(golden, "per-token").logProbabilities)).toEqual([
      expect.closeTo(0.4136062678950836, 12),
      expect.closeTo(0.2213874817979306, 12),
      expect.closeTo(0.36500625030698564, 12),
    ]);
  });

  it("has the sum of the texts' probabilities as label mass, whatever the length rule", () => {
    const logProbs = [[Math.log(0.5), Math.log(0.5)], [Math.log(0.125)]];
    expect(read(logProbs).labelMass).toBeCloseTo(0.375, 12);
    expect(read(logProbs, "per-token").labelMass).toBeCloseTo(0.375, 12);
  });

  it("cuts the mass at 1 where one text begins another", () => {
    expect(read([[-0.1], [-0.1, -0.2]]).labelMass).toBe(1);
  });

  it.each([[Number.NaN], [Number.NEGATIVE_INFINITY], [Number.POSITIVE_INFINITY]])(
    "refuses the log-probability %d",
    (bad) => {
      expect(() => read([[-1], [-1, bad]])).toThrow(codeOf("non_finite_scores"));
      expect(() => read([[-1], [-1, bad]])).toThrow("token 2 of option 2");
    },
  );

  it("refuses a log-probability over 0, but not by rounding", () => {
    expect(() => read([[-1], [0.01]])).toThrow(codeOf("invalid_distribution"));
    expect(() => read([[-1], [1e-6]])).not.toThrow();
  });

  it("refuses an option without tokens", () => {
    expect(() => read([[-1], []])).toThrow("Option 2 has no tokens.");
  });

  it("refuses missing options", () => {
    expect(() => read([[-1]], "total", 2)).toThrow(codeOf("invalid_distribution"));
  });

  it("refuses scores that are all the same", () => {
    expect(() => read([[-1, -1], [-2]])).toThrow(codeOf("degenerate_scores"));
    expect(() => read([[-1, -1], [-2]], "per-token")).not.toThrow();
  });
});
