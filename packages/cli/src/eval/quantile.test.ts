import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mean, median, quantile } from "./quantile.js";

describe("quantile", () => {
  it("takes the nearest rank", () => {
    const values = [30, 10, 20, 40, 50];
    expect(quantile(values, 0.5)).toBe(30);
    expect(quantile(values, 0.95)).toBe(50);
    expect(quantile([7], 0.5)).toBe(7);
    expect(quantile([], 0.5)).toBeUndefined();
  });

  it("is one of the values, with at least that share of them at or below it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer(), { minLength: 1 }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (values, share) => {
          const found = quantile(values, share) ?? Number.NaN;
          expect(values).toContain(found);
          expect(values.filter((value) => value <= found).length).toBeGreaterThanOrEqual(share * values.length - 1e-9);
        },
      ),
    );
  });
});

describe("median and mean", () => {
  it("of odd, even and no values", () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(median([])).toBeUndefined();
    expect(mean([1, 2, 6])).toBe(3);
    expect(mean([])).toBeUndefined();
  });
});
