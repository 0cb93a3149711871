import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { displayWidth, padEnd, padStart, wrap } from "./display-width.js";

describe("displayWidth", () => {
  it.each([
    ["billing", 7],
    ["Grüße", 5],
    ["e\u0301", 1],
    ["日本", 4],
    ["🙂", 2],
    ["👩‍👧", 2],
    ["", 0],
  ])("of %j is %d", (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });
});

describe("padding", () => {
  it("fills up to columns, not characters", () => {
    expect(padEnd("日本", 6)).toBe("日本  ");
    expect(padStart("ab", 1)).toBe("ab");
  });
});

describe("wrap", () => {
  it("breaks at spaces", () => {
    expect(wrap("one two three", 8)).toEqual(["one two", "three"]);
  });

  it("breaks a word that is longer than a line", () => {
    expect(wrap("ab cdefghij", 4)).toEqual(["ab", "cdef", "ghij"]);
  });

  it("keeps every character but spaces, and no line is wider than asked", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 2, max: 30 }), (text, width) => {
        const lines = wrap(text, width);
        expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });
});
