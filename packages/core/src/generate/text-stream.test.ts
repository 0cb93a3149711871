import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TextStream } from "./text-stream.js";

const encoder = new TextEncoder();

/** What comes out when the bytes come in pieces. */
function streamed(bytes: Uint8Array, sizes: readonly number[], stops: readonly string[]): string {
  const stream = new TextStream(stops);
  let text = "";
  let at = 0;
  for (let index = 0; at < bytes.length; index++) {
    const size = sizes[index % sizes.length] ?? 1;
    text += stream.push(bytes.subarray(at, at + size));
    at += size;
  }
  return text + stream.end();
}

describe("TextStream", () => {
  it("gives no half characters", () => {
    const stream = new TextStream([]);
    const bytes = encoder.encode("é");
    expect([stream.push(bytes.subarray(0, 1)), stream.push(bytes.subarray(1))]).toEqual(["", "é"]);
  });

  it("keeps back what may become a stop text, and gives it when it does not", () => {
    const stream = new TextStream(["END"]);
    expect(stream.push(encoder.encode("the E"))).toBe("the ");
    expect(stream.push(encoder.encode("N"))).toBe("");
    expect(stream.push(encoder.encode("G"))).toBe("ENG");
    expect(stream.push(encoder.encode("EN"))).toBe("");
    expect(stream.end()).toBe("EN");
    expect(stream.stopped).toBe(false);
  });

  it("gives the text before the first stop text, however it is cut up", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "é", "😀"), maxLength: 30 });
    const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 5 });
    const stops = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "é"), minLength: 1, maxLength: 4 }), {
      maxLength: 3,
    });
    fc.assert(
      fc.property(text, sizes, stops, (whole, cuts, ends) => {
        const found = ends.map((end) => whole.indexOf(end)).filter((at) => at >= 0);
        const expected = found.length === 0 ? whole : whole.slice(0, Math.min(...found));
        // Of two stop texts the one that is complete first ends the text, which need not be the one that begins first.
        const got = streamed(encoder.encode(whole), cuts, ends);
        expect(whole.startsWith(got)).toBe(true);
        if (found.length === 0 || ends.length === 1) expect(got).toBe(expected);
        else expect(got.length).toBeGreaterThanOrEqual(expected.length);
        for (const end of ends) expect(got.includes(end)).toBe(false);
      }),
    );
  });
});
