import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wilsonInterval } from "./wilson.js";

describe("wilsonInterval", () => {
  // Reference values: Newcombe 1998, table I, method 3.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])("of %d in %d", (right, n, low, high) => {
    const interval = wilsonInterval(right, n);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  it("holds the share, stays within 0 and 1, and is the same from the other side", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.double({ min: 0, max: 1, noNaN: true }), (n, part) => {
        const right = Math.round(part * n);
        const { low, high } = wilsonInterval(right, n);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(right / n);
        expect(high).toBeGreaterThanOrEqual(right / n);
        expect(1 - wilsonInterval(n - right, n).high).toBeCloseTo(low, 10);
      }),
    );
  });
});
