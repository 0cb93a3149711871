import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Float, jsonText } from "./json-text.js";

describe("jsonText", () => {
  it("writes floats with a decimal point or an exponent, and whole numbers without", () => {
    const floats = [0, 1, -1, 0.5, 1e-9, 1e21].map((value) => new Float(value));
    expect(jsonText(floats)).toBe("[0.0,1.0,-1.0,0.5,1e-9,1e+21]");
    expect(jsonText([0, 7])).toBe("[0,7]");
  });

  it("keeps the order of maps, also of keys that look like integers", () => {
    const options = new Map([
      ["b", new Float(1)],
      ["10", new Float(0)],
      ["2", new Float(0)],
    ]);
    expect(jsonText({ options })).toBe('{"options":{"b":1.0,"10":0.0,"2":0.0}}');
  });

  it("leaves out what is undefined", () => {
    expect(jsonText({ a: undefined, b: [undefined], c: null })).toBe('{"b":[null],"c":null}');
  });

  it("writes what JSON.parse reads back", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(jsonText(value as never))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
