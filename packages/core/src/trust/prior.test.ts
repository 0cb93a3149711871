import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { logSoftmax } from "../readout/log-softmax.js";
import { correctPrior } from "./prior.js";

const logs = (...probabilities: number[]) => probabilities.map(Math.log);

describe("correctPrior", () => {
  it("divides by the prior and normalises", () => {
    expect(correctPrior(logs(0.6, 0.3, 0.1), logs(0.5, 0.25, 0.25)).map(Math.exp)).toEqual([
      expect.closeTo(3 / 7, 12),
      expect.closeTo(3 / 7, 12),
      expect.closeTo(1 / 7, 12),
    ]);
  });

  it("makes a state that says nothing undecided, and changes nothing where the prior is even", () => {
    const logits = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 2, maxLength: 10 });
    fc.assert(
      fc.property(logits, (list) => {
        const own = logSoftmax(list);
        for (const value of correctPrior(own, own)) expect(Math.exp(value)).toBeCloseTo(1 / list.length, 9);
        const even = list.map(() => -Math.log(list.length));
        for (const [index, value] of correctPrior(own, even).entries()) {
          expect(value).toBeCloseTo(own[index] ?? Number.NaN, 9);
        }
      }),
    );
  });

  it("refuses a prior of 0", () => {
    expect(() => correctPrior(logs(0.5, 0.5), [0, Number.NEGATIVE_INFINITY])).toThrow(
      expect.objectContaining({ code: "invalid_distribution" }),
    );
  });
});
