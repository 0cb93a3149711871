import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { logSoftmax, logSumExp, toProbabilities } from "./log-softmax.js";

const values = fc.array(fc.double({ min: -200, max: 200, noNaN: true }), { minLength: 1, maxLength: 50 });

describe("logSumExp", () => {
  it("is the log of the sum of the exponentials", () => {
    expect(logSumExp([2, 1, 0])).toBeCloseTo(2.40760596444438, 12);
  });

  it("does not overflow or underflow", () => {
    expect(logSumExp([1e4, 1e4])).toBeCloseTo(1e4 + Math.LN2, 8);
    expect(logSumExp([-1e4, -1e4])).toBeCloseTo(-1e4 + Math.LN2, 8);
  });

  it("is -Infinity for no values and for -Infinity alone", () => {
    expect(logSumExp([])).toBe(Number.NEGATIVE_INFINITY);
    expect(logSumExp([Number.NEGATIVE_INFINITY])).toBe(Number.NEGATIVE_INFINITY);
  });
});

describe("logSoftmax", () => {
  it("keeps an impossible option impossible", () => {
    expect(logSoftmax([0, Number.NEGATIVE_INFINITY])).toEqual([0, Number.NEGATIVE_INFINITY]);
  });

  it("sums to 1, keeps the order, and is the same when all values are shifted", () => {
    fc.assert(
      fc.property(values, fc.double({ min: -100, max: 100, noNaN: true }), (list, shift) => {
        const logs = logSoftmax(list);
        expect(logs.reduce((sum, value) => sum + Math.exp(value), 0)).toBeCloseTo(1, 9);
        for (const [index, value] of logSoftmax(list.map((each) => each + shift)).entries()) {
          expect(value).toBeCloseTo(logs[index] ?? Number.NaN, 9);
        }
        const best = list.indexOf(Math.max(...list));
        expect(logs[best]).toBe(Math.max(...logs));
      }),
    );
  });
});

describe("toProbabilities", () => {
  it("gives probabilities that sum to 1", () => {
    fc.assert(
      fc.property(values, (list) => {
        const probabilities = toProbabilities(list);
        expect(Math.abs(probabilities.reduce((sum, value) => sum + value, 0) - 1)).toBeLessThan(1e-9);
        for (const probability of probabilities) expect(probability >= 0 && probability <= 1).toBe(true);
      }),
    );
  });
});
