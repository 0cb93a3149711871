import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Pass, Readout } from "../engines/engine.js";
import { combinePasses } from "./combine-passes.js";

const plain: Readout = { kind: "letter", orders: 1, prior: false, length: "total" };
const invalid = (message: string) =>
  expect.objectContaining({ code: "invalid_distribution", message: expect.stringContaining(message) });

function probabilities(values: number[], order: number[], state: Pass["state"] = "actual"): Pass {
  return { order, state, reading: { kind: "probabilities", probabilities: values } };
}

const forward = [0, 1, 2];
const backward = [2, 1, 0];
const fourPasses = [
  probabilities([0.7, 0.2, 0.1], forward),
  probabilities([0.3, 0.5, 0.2], backward),
  probabilities([0.5, 0.3, 0.2], forward, "empty"),
  probabilities([0.2, 0.2, 0.6], backward, "empty"),
];
const full: Readout = { ...plain, orders: 2, prior: true };

describe("combinePasses", () => {
  it("corrects each order by its own prior, then averages", () => {
    const combined = combinePasses({ passes: fourPasses }, full, 3);
    expect(combined.probabilities).toEqual([
      expect.closeTo(0.46028036137517175, 12),
      expect.closeTo(0.4100503366967597, 12),
      expect.closeTo(0.12966930192806855, 12),
    ]);
    expect(combined.logProbabilities.map(Math.exp)).toEqual(combined.probabilities.map((p) => expect.closeTo(p, 12)));
    expect(combined.flipped).toBe(true);
  });

  it("does not depend on the order in which the passes come", () => {
    const expected = combinePasses({ passes: fourPasses }, full, 3).probabilities;
    fc.assert(
      fc.property(fc.shuffledSubarray(fourPasses, { minLength: 4 }), (passes) => {
        for (const [index, value] of combinePasses({ passes }, full, 3).probabilities.entries()) {
          expect(value).toBeCloseTo(expected[index] ?? Number.NaN, 12);
        }
      }),
    );
  });

  it("reports the lowest label mass of the actual passes", () => {
    const letter = (vocabulary: number, order: number[], state: Pass["state"] = "actual"): Pass => ({
      order,
      state,
      reading: { kind: "letter", logits: [Math.log(0.5), Math.log(0.25)], logSumExp: vocabulary },
    });
    const passes = [
      letter(0, [0, 1]),
      letter(Math.LN2, [1, 0]),
      letter(5, [0, 1], "empty"),
      letter(5, [1, 0], "empty"),
    ];
    expect(combinePasses({ passes }, full, 2).labelMass).toBeCloseTo(0.375, 12);
  });

  it("leaves the label mass out where no pass has one", () => {
    expect(combinePasses({ passes: [probabilities([0.5, 0.5], [0, 1])] }, plain, 2)).not.toHaveProperty("labelMass");
  });

  it("reports the sum furthest from 1 that was rescaled", () => {
    const passes = [probabilities([0.49, 0.5], [0, 1]), probabilities([0.49, 0.49], [1, 0])];
    expect(combinePasses({ passes }, { ...plain, orders: 2 }, 2).rescaledFrom).toBeCloseTo(0.98, 12);
    expect(combinePasses({ passes: [probabilities([0.5, 0.5], [0, 1])] }, plain, 2)).not.toHaveProperty("rescaledFrom");
  });

  it("sums to 1", () => {
    const weights = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 2, maxLength: 30 });
    fc.assert(
      fc.property(weights, (values) => {
        const sum = values.reduce((total, value) => total + value, 0);
        const pass = probabilities(
          values.map((value) => value / sum),
          values.map((_, index) => index),
        );
        const combined = combinePasses({ passes: [pass] }, plain, values.length).probabilities;
        expect(Math.abs(combined.reduce((total, value) => total + value, 0) - 1)).toBeLessThan(1e-12);
      }),
    );
  });

  it.each<[string, Pass[], Readout, string]>([
    ["no pass", [], plain, "0 passes over the state instead of 1"],
    ["a missing order", fourPasses.slice(0, 1), { ...plain, orders: 2 }, "1 pass over the state instead of 2"],
    ["a missing prior", fourPasses.slice(0, 3), full, "1 pass over the empty state instead of 2"],
    ["a prior that is not wanted", fourPasses, { ...full, prior: false }, "2 passes over the empty state instead of 0"],
    ["the same order twice", [fourPasses[0], fourPasses[0]] as Pass[], { ...plain, orders: 2 }, "0,1,2 twice"],
    ["an order of other options", [probabilities([0.5, 0.5], [0, 1])], plain, "does not name each of 3 options once"],
    ["an order with a repetition", [probabilities([0.5, 0.3, 0.2], [0, 1, 1])], plain, "does not name each"],
    [
      "priors of other orders",
      [...fourPasses.slice(0, 3), probabilities([0.2, 0.2, 0.6], [1, 0, 2], "empty")],
      full,
      "no pass over the empty state in the order 2,1,0",
    ],
    [
      "orders that exclude every option",
      [probabilities([1, 0, 0], forward), probabilities([0, 1, 0], backward)],
      { ...plain, orders: 2 },
      "Every option has the probability 0",
    ],
  ])("refuses %s", (_, passes, readout, message) => {
    expect(() => combinePasses({ passes }, readout, 3)).toThrow(invalid(message));
  });
});
