import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sharePercent, wholePercent } from "./whole-percent.js";

describe("wholePercent", () => {
  it.each([
    [0, "< 1 %"],
    [0.004, "< 1 %"],
    [0.006, "1 %"],
    [0.5, "50 %"],
    [0.994, "99 %"],
    [0.995, "> 99 %"],
    [1, "> 99 %"],
  ])("writes %d as %s", (probability, text) => {
    expect(wholePercent(probability)).toBe(text);
  });

  it("never claims 0 or 100 %, and has no decimals", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (probability) => {
        expect(wholePercent(probability)).toMatch(/^(> 99|< 1|[1-9]\d?) %$/u);
      }),
    );
  });
});

describe("sharePercent", () => {
  it.each([
    [0, "0 %"],
    [0.001, "< 1 %"],
    [0.5, "50 %"],
    [399 / 400, "> 99 %"],
    [1, "100 %"],
  ])("writes %d as %s", (share, text) => {
    expect(sharePercent(share)).toBe(text);
  });
});
