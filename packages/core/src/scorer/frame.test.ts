import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FrameKind, FrameReader, FrameSplitter, FrameWriter, Op, readFrame } from "./frame.js";

const frameOf = (text: string, numbers: readonly number[]) =>
  new FrameWriter(FrameKind.request, Op.tokenize, 7).string(text).i32Array(numbers).f64(0.5).finish();

describe("frames", () => {
  it("give back what was written", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
        (text, numbers) => {
          const frame = readFrame(frameOf(text, numbers).slice());
          expect([frame.kind, frame.op, frame.id]).toEqual([FrameKind.request, Op.tokenize, 7]);
          expect(frame.payload.string()).toBe(new TextDecoder().decode(new TextEncoder().encode(text)));
          expect([...frame.payload.i32Array()]).toEqual(numbers);
          expect(frame.payload.f64()).toBe(0.5);
          frame.payload.end();
        },
      ),
    );
  });

  it("keep every field aligned to four bytes", () => {
    for (const text of ["", "a", "ab", "abc", "abcd"]) expect(frameOf(text, [1]).length % 4).toBe(0);
  });

  it("are errors when cut anywhere, never wrong values", () => {
    const whole = frameOf("grüße", [1, 2, 3]).slice();
    for (let length = 12; length < whole.length; length += 1) {
      const reader = new FrameReader(whole.slice(0, length), 12);
      expect(() => {
        reader.string();
        reader.i32Array();
        reader.f64();
      }).toThrow(/too early/);
    }
  });

  it("are errors when longer than they say", () => {
    const longer = new Uint8Array([...frameOf("x", []), 0, 0, 0, 0]);
    expect(() => readFrame(longer)).toThrow(/says/);
  });
});

describe("FrameSplitter", () => {
  it("finds the same frames however the stream is cut", () => {
    const frames = [frameOf("one", [1]), frameOf("", []), frameOf("three", [1, 2, 3])].map((frame) => [...frame]);
    const stream = Uint8Array.from(frames.flat());
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: stream.length })), (cuts) => {
        const splitter = new FrameSplitter();
        const ends = [...cuts].sort((a, b) => a - b).concat(stream.length);
        const found = ends.flatMap((end, index) => splitter.push(stream.slice(ends[index - 1] ?? 0, end)));
        expect(found.map((frame) => [...frame])).toEqual(frames);
      }),
    );
  });

  it("refuses a length that cannot be", () => {
    expect(() => new FrameSplitter().push(Uint8Array.of(255, 255, 255, 255))).toThrow(/not valid/);
  });
});
