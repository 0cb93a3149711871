import { describe, expect, it } from "vitest";
import { toProbabilities } from "./log-softmax.js";
import { readProbabilities } from "./probabilities.js";

const read = (probabilities: number[], optionCount = probabilities.length) =>
  readProbabilities({ kind: "probabilities", probabilities }, optionCount);
const codeOf = (code: string) => expect.objectContaining({ code });

describe("readProbabilities", () => {
  it("keeps exact probabilities and does not claim to know the label mass", () => {
    const scores = read([0.5, 0.25, 0.25]);
    expect(toProbabilities(scores.logProbabilities)).toEqual([
      expect.closeTo(0.5, 12),
      expect.closeTo(0.25, 12),
      expect.closeTo(0.25, 12),
    ]);
    expect(scores).not.toHaveProperty("labelMass");
    expect(scores).not.toHaveProperty("rescaledFrom");
  });

  it("says what rounded probabilities summed to, and brings them to 1", () => {
    const scores = read([0.33, 0.33, 0.33]);
    expect(scores.rescaledFrom).toBeCloseTo(0.99, 12);
    expect(toProbabilities(scores.logProbabilities)[0]).toBeCloseTo(1 / 3, 12);
  });

  it.each([[[0.49, 0.49]], [[0.51, 0.51]], [[0.98, 0]], [[1, 0.02]]])("takes the rounded %j", (probabilities) => {
    expect(read(probabilities).rescaledFrom).toBeDefined();
  });

  it.each([[[0.48, 0.49]], [[0.52, 0.51]], [[0, 0]], [[-0.1, 1.1]], [[1.01, 0]]])("refuses %j", (probabilities) => {
    expect(() => read(probabilities)).toThrow(codeOf("invalid_distribution"));
  });

  it("refuses numbers that are not finite", () => {
    expect(() => read([Number.NaN, 0.5])).toThrow(codeOf("non_finite_scores"));
  });

  it("refuses missing and surplus probabilities", () => {
    expect(() => read([0.5, 0.5], 3)).toThrow(codeOf("invalid_distribution"));
    expect(() => read([0.5, 0.3, 0.2], 2)).toThrow(codeOf("invalid_distribution"));
  });

  it("takes an impossible option, and equal ones, which rounding makes", () => {
    expect(toProbabilities(read([1, 0]).logProbabilities)).toEqual([1, 0]);
    expect(toProbabilities(read([0.5, 0.5]).logProbabilities)).toEqual([0.5, 0.5]);
  });
});
