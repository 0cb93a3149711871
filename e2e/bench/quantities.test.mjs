import { describe, expect, it } from "vitest";
import { digits, quantity, quantityWithRange } from "./quantities.mjs";

describe("quantity", () => {
  it.each(
    /** @type {const} */ ([
      [3.456, "ms", "3.46 ms"],
      [0.4, "ms", "0.40 ms"],
      [812.4, "ms", "812 ms"],
      [999.7, "ms", "1.00 s"],
      [1534, "ms", "1.53 s"],
      [148_200, "ms", "148 s"],
      [374e6, "bytes", "374 MB"],
      [2_757_000, "bytes", "2.76 MB"],
      [1_240_000_000, "bytes", "1.24 GB"],
    ]),
  )("writes %d %s as %s", (value, unit, text) => {
    expect(quantity(value, unit)).toBe(text);
  });
});

describe("quantityWithRange", () => {
  it("says where there is no range", () => {
    const summary = { median: 2000, least: 1900, most: 2200 };
    expect(quantityWithRange({ ...summary, samples: 3 }, "ms")).toBe("2.00 s (1.90 s to 2.20 s)");
    expect(quantityWithRange({ ...summary, samples: 1 }, "ms")).toBe("2.00 s (once)");
  });
});

describe("digits", () => {
  it("keeps three, or two of a fraction", () => {
    expect([0.0212, 0.95, 1.2345, 12.345, 123.45].map(digits)).toEqual(["0.021", "0.95", "1.23", "12.3", "123"]);
  });
});
