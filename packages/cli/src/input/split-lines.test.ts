import { OptioError } from "@optio/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Line, readText, splitLines } from "./split-lines.js";

async function* chunked(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (let turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function linesOf(text: string, sizes: readonly number[] = [3]): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const line of splitLines(chunked(new TextEncoder().encode(text), sizes))) lines.push(line);
  return lines;
}

describe("splitLines", () => {
  it("numbers lines from 1, counts blank ones and leaves them out", async () => {
    expect(await linesOf("a\n\n  \r\nb\r\nc")).toEqual([
      { number: 1, text: "a" },
      { number: 4, text: "b" },
      { number: 5, text: "c" },
    ]);
  });

  it("takes a byte order mark away, and yields nothing for nothing", async () => {
    expect(await linesOf("\uFEFF{}\n")).toEqual([{ number: 1, text: "{}" }]);
    expect(await linesOf("")).toEqual([]);
  });

  it("does not depend on where chunks end", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc
          .array(fc.string({ unit: fc.constantFrom("a", "ß", "日", "🙂", "\n", "\r\n", " ") }))
          .map((parts) => parts.join("\n")),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 }),
        async (text, sizes) => {
          expect(await linesOf(text, sizes)).toEqual(await linesOf(text, [1_000_000]));
        },
      ),
    );
  });
});

describe("readText", () => {
  it("joins characters that chunks cut through", async () => {
    expect(await readText(chunked(new TextEncoder().encode("Grüße 🙂"), [1]), "stdin")).toBe("Grüße 🙂");
  });

  it("refuses what is not UTF-8 instead of replacing it", async () => {
    const error = await readText(chunked(Uint8Array.of(0x47, 0xfc, 0x6e), [3]), "letter.txt").catch(
      (caught: unknown) => caught,
    );
    expect(OptioError.isInstance(error, "invalid_state")).toBe(true);
    expect(error).toMatchObject({ message: "letter.txt is not UTF-8 text." });
  });
});
