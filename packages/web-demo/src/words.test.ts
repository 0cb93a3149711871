import { describe, expect, it } from "vitest";
import { bytes, duration, percent, timeLeft } from "./words.js";

describe("percent", () => {
  it.each([
    [0, "< 1 %"],
    [0.0099, "< 1 %"],
    [0.01, "1 %"],
    [0.834, "83 %"],
    [0.99, "99 %"],
    [0.9901, "> 99 %"],
    [1, "> 99 %"],
  ])("says %f as %s", (probability, text) => {
    expect(percent(probability)).toBe(text);
  });
});

describe("bytes", () => {
  it.each([
    [98_362_432, "98 MB"],
    [1_117_320_768, "1.1 GB"],
    [2_500, "3 kB"],
  ])("says %i as %s", (count, text) => {
    expect(bytes(count)).toBe(text);
  });
});

describe("duration", () => {
  it.each([
    [12.4, "12 ms"],
    [1_440, "1.4 s"],
    [125_000, "2 min 5 s"],
  ])("says %f ms as %s", (milliseconds, text) => {
    expect(duration(milliseconds)).toBe(text);
  });
});

describe("timeLeft", () => {
  it("divides what is missing by the speed", () => {
    expect(timeLeft(50e6, 100e6, 10e6)).toBe("about 5 s left");
  });
  it("says nothing in a stall or while the size is unknown", () => {
    expect(timeLeft(50e6, 100e6, 0)).toBeUndefined();
    expect(timeLeft(50e6, 0, 10e6)).toBeUndefined();
  });
});
