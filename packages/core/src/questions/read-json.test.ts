import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OptioError } from "../errors.js";
import { toOrderedJson, toPlainJson, writeJson } from "./ordered-json.js";
import { readJson } from "./read-json.js";

describe("readJson", () => {
  it("keeps integer-like keys where the text has them", () => {
    expect([...(readJson('{"b": 1, "10": 2, "2": 3}') as Map<string, unknown>).keys()]).toEqual(["b", "10", "2"]);
  });

  it("holds __proto__ as data", () => {
    const plain = toPlainJson(readJson('{"__proto__": {"polluted": true}}'));
    expect(Object.keys(plain as object)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(plain)).toBe(Object.prototype);
  });

  it("reads what JSON.parse reads", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 2, "\t"), (text, indent) => {
        const spaced = JSON.stringify(JSON.parse(text), undefined, indent);
        expect(toPlainJson(readJson(spaced))).toEqual(JSON.parse(spaced));
      }),
    );
  });

  it("refuses what JSON.parse refuses, by an error of optio", () => {
    const damaged = fc.tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2 })).map(([text, at, extra]) => {
      const cut = at % (text.length + 1);
      return text.slice(0, cut) + extra + text.slice(cut + 1);
    });
    fc.assert(
      fc.property(damaged, (text) => {
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          expect(() => readJson(text)).toThrow(OptioError);
          return;
        }
        try {
          expect(toPlainJson(readJson(text))).toEqual(expected);
        } catch (error) {
          if (!OptioError.isInstance(error)) throw error;
          expect(error.message).toContain("a second time");
        }
      }),
      { numRuns: 500 },
    );
  });

  it("writes back the text that it read", () => {
    const text = '{"b":[1,"x\\n",{"2":null,"1":true}],"0":-1.5e+300}';
    expect(writeJson(readJson(text))).toBe(text);
  });

  it.each([
    ["", "the end of the text where a value should be at line 1, column 1"],
    ['{"a": 1,\n  "a": 2}', 'the key "a" a second time at line 2, column 3'],
    ['{"a": 1,}', "no key in double quotes at line 1, column 9"],
    ["[1, 2", "neither a comma nor the end of the list at line 1, column 6"],
    ['{"a" 1}', "no colon after the key at line 1, column 6"],
    ['"a\nb"', "text that is not closed or not escaped properly at line 1, column 1"],
    ['["a', "text that is not closed or not escaped properly at line 1, column 2"],
    ["1 2", "more text after the value at line 1, column 3"],
    ["nul", 'an unexpected "n" at line 1, column 1'],
  ])("says where %j is wrong", (text, message) => {
    expect(() => readJson(text)).toThrow(message);
  });

  it("takes 64 levels and refuses 65", () => {
    expect(() => readJson("[".repeat(64) + "]".repeat(64))).not.toThrow();
    expect(() => readJson("[".repeat(65) + "]".repeat(65))).toThrow("more than 64");
    expect(() => readJson("[".repeat(1_000_000))).toThrow("more than 64");
  });

  it("reads a string of a few megabytes", () => {
    const long = 'a"\\'.repeat(1_000_000);
    expect(readJson(JSON.stringify(long))).toBe(long);
  });
});

describe("toOrderedJson", () => {
  it("turns plain objects into maps and leaves out undefined fields", () => {
    expect(toOrderedJson({ a: [{ b: 1 }], c: undefined })).toEqual(new Map([["a", [new Map([["b", 1]])]]]));
  });

  it.each([[() => 1], [1n], [Number.NaN], [Symbol("x")]])("refuses %s", (value) => {
    expect(() => toOrderedJson({ value })).toThrow(expect.objectContaining({ code: "invalid_question" }));
  });

  it("refuses a circle instead of running for ever", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(() => toOrderedJson(circle)).toThrow("More than 64");
  });
});
