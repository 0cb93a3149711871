import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ConfidenceFormula } from "../questions/question.js";
import { confidenceFormulas, confidenceOf } from "./confidence.js";

describe("confidenceOf", () => {
  it.each<[ConfidenceFormula, number]>([
    ["scaled-max", 0.55],
    ["margin", 0.5],
    ["one-minus-entropy", 0.27015330083790257],
  ])("gives the golden number of %s", (formula, expected) => {
    expect(confidenceOf([0.7, 0.2, 0.1], formula)).toBeCloseTo(expected, 12);
  });

  it.each(confidenceFormulas)("goes from 0 for even to 1 for certain distributions: %s", (formula) => {
    for (const n of [2, 3, 7, 255]) {
      expect(
        confidenceOf(
          Array.from({ length: n }, () => 1 / n),
          formula,
        ),
      ).toBeCloseTo(0, 9);
      expect(
        confidenceOf(
          Array.from({ length: n }, (_, index) => (index === 1 ? 1 : 0)),
          formula,
        ),
      ).toBe(1);
    }
  });

  it.each(confidenceFormulas)("stays from 0 to 1 and does not depend on the order of options: %s", (formula) => {
    const weights = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 2, maxLength: 20 });
    fc.assert(
      fc.property(weights, (values) => {
        const sum = values.reduce((total, value) => total + value, 0);
        fc.pre(sum > 0);
        const distribution = values.map((value) => value / sum);
        const confidence = confidenceOf(distribution, formula);
        expect(confidence).toBeGreaterThanOrEqual(0);
        expect(confidence).toBeLessThanOrEqual(1);
        expect(confidenceOf([...distribution].reverse(), formula)).toBeCloseTo(confidence, 9);
      }),
    );
  });

  it("refuses a formula that it does not know", () => {
    // @ts-expect-error not a formula
    expect(() => confidenceOf([0.5, 0.5], "max")).toThrow(expect.objectContaining({ code: "invalid_setting" }));
  });
});
