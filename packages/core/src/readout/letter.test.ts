import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readLetters } from "./letter.js";
import { logSumExp, toProbabilities } from "./log-softmax.js";

const read = (logits: number[], vocabulary: number, optionCount = logits.length) =>
  readLetters({ kind: "letter", logits, logSumExp: vocabulary }, optionCount);
const codeOf = (code: string) => expect.objectContaining({ code });

describe("readLetters", () => {
  it("gives the golden numbers", () => {
    const { logProbabilities, labelMass } = read([2, 1, 0], 3);
    expect(toProbabilities(logProbabilities)).toEqual([
      expect.closeTo(0.665240955774822, 12),
      expect.closeTo(0.2447284710547977, 12),
      expect.closeTo(0.09003057317038048, 12),
    ]);
    expect(labelMass).toBeCloseTo(0.5530017927759189, 12);
  });

  it("cuts a mass that rounding carried over 1", () => {
    const logits = [2, 1, 0];
    expect(read(logits, logSumExp(logits) - 5e-4).labelMass).toBe(1);
  });

  it("refuses labels with more than the whole vocabulary's probability", () => {
    expect(() => read([2, 1, 0], 2)).toThrow(codeOf("invalid_distribution"));
  });

  it.each([[[1, Number.NaN]], [[1, Number.POSITIVE_INFINITY]], [[Number.NEGATIVE_INFINITY, 1]]])(
    "refuses the logits %j",
    (logits) => {
      expect(() => read(logits, 10)).toThrow(codeOf("non_finite_scores"));
    },
  );

  it("refuses a log-sum-exp that is not finite", () => {
    expect(() => read([1, 2], Number.POSITIVE_INFINITY)).toThrow(codeOf("non_finite_scores"));
  });

  it("refuses logits that are all the same", () => {
    expect(() => read([0, 0, 0], 5)).toThrow(codeOf("degenerate_scores"));
    expect(() => read([0, 0, 1e-6], 5)).not.toThrow();
  });

  it("refuses missing and surplus logits", () => {
    expect(() => read([1, 2], 5, 3)).toThrow(codeOf("invalid_distribution"));
    expect(() => read([1, 2, 3], 5, 2)).toThrow(codeOf("invalid_distribution"));
  });

  it("gives the same when logits and log-sum-exp are shifted together, and follows the order of the options", () => {
    const logits = fc.uniqueArray(fc.integer({ min: -30, max: 30 }), { minLength: 2, maxLength: 12 });
    fc.assert(
      fc.property(logits, fc.integer({ min: -50, max: 50 }), (list, shift) => {
        const vocabulary = logSumExp(list) + 0.5;
        const plain = read(list, vocabulary);
        const shifted = read(
          list.map((logit) => logit + shift),
          vocabulary + shift,
        );
        expect(shifted.labelMass).toBeCloseTo(plain.labelMass ?? Number.NaN, 9);
        const reversed = read([...list].reverse(), vocabulary).logProbabilities;
        for (const [index, value] of plain.logProbabilities.entries()) {
          expect(shifted.logProbabilities[index]).toBeCloseTo(value, 9);
          expect(reversed[list.length - 1 - index]).toBeCloseTo(value, 9);
        }
      }),
    );
  });
});
