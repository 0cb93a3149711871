import { describe, expect, it } from "vitest";
import { formatsFor } from "./formats.js";

const english = formatsFor("en");

describe("percent", () => {
  it.each([
    [0, "< 1%"],
    [0.0099, "< 1%"],
    [0.01, "1%"],
    [0.834, "83%"],
    [0.99, "99%"],
    [0.9901, "> 99%"],
    [1, "> 99%"],
  ])("says %f as %s", (probability, text) => {
    expect(english.percent(probability)).toBe(text);
  });
});

describe("bytes", () => {
  it.each([
    [98_362_432, "98 MB"],
    [1_117_320_768, "1.1 GB"],
    [2_500, "3 kB"],
  ])("says %i as %s", (count, text) => {
    expect(english.bytes(count)).toBe(text);
  });
});

describe("duration", () => {
  it.each([
    [12.4, "12 ms"],
    [1_440, "1.4 sec"],
    [125_000, "2 min 5 sec"],
    [119_900, "2 min 0 sec"],
  ])("says %f ms as %s", (milliseconds, text) => {
    expect(english.duration(milliseconds)).toBe(text);
  });
});

describe("another language", () => {
  it("has its own signs", () => {
    const french = formatsFor("fr");
    expect(french.decimal(1.25)).toBe("1,3");
    expect(french.bytes(1.1e9)).toMatch(/^1,1\sGo$/);
  });

  it("is English where there is no such language", () => {
    expect(formatsFor("not a language").percent(0.5)).toBe("50%");
  });
});
