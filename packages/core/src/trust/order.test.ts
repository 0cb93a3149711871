import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { logSoftmax } from "../readout/log-softmax.js";
import { argMax, averageOrders } from "./order.js";

const logs = (...probabilities: number[]) => probabilities.map(Math.log);

describe("averageOrders", () => {
  it("gives the normalised geometric mean and says that the orders disagree", () => {
    const { logProbabilities, flipped } = averageOrders([logs(0.7, 0.2, 0.1), logs(0.3, 0.5, 0.2)]);
    expect(logProbabilities.map(Math.exp)).toEqual([
      expect.closeTo(0.5003321556916863, 12),
      expect.closeTo(0.3452619888743494, 12),
      expect.closeTo(0.1544058554339643, 12),
    ]);
    expect(flipped).toBe(true);
  });

  it("says that orders with the same winner agree", () => {
    expect(averageOrders([logs(0.7, 0.3), logs(0.51, 0.49)]).flipped).toBe(false);
  });

  it("keeps a single order as it is", () => {
    const { logProbabilities, flipped } = averageOrders([logs(0.25, 0.75)]);
    expect(logProbabilities.map(Math.exp)).toEqual([expect.closeTo(0.25, 12), expect.closeTo(0.75, 12)]);
    expect(flipped).toBe(false);
  });

  it("removes a preference for a place that adds to the logits", () => {
    const logit = fc.double({ min: -5, max: 5, noNaN: true });
    fc.assert(
      fc.property(logit, logit, logit, (first, second, bias) => {
        const forward = logSoftmax([first + bias, second]);
        const backward = logSoftmax([first, second + bias]);
        const { logProbabilities } = averageOrders([forward, backward]);
        const [fair = Number.NaN] = logSoftmax([first, second]);
        expect(logProbabilities[0]).toBeCloseTo(fair, 9);
      }),
    );
  });
});

describe("argMax", () => {
  it("takes the first of equal values", () => {
    expect(argMax([1, 3, 3, 2])).toBe(1);
  });
});
