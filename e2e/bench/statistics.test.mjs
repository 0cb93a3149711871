import { describe, expect, it } from "vitest";
import { median, summarize } from "./statistics.mjs";

describe("median", () => {
  it("is the middle value, or the mean of the two in the middle", () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([10, 9])).toBe(9.5);
  });
});

describe("summarize", () => {
  it("has nothing to say of no samples", () => {
    expect(summarize([])).toBeUndefined();
  });
  it("gives the range beside the median", () => {
    expect(summarize([5, 1, 9])).toEqual({ median: 5, least: 1, most: 9, samples: 3 });
  });
});
