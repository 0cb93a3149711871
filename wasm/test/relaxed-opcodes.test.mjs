import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fromDraft, toDraft } from "../build/relaxed-opcodes.mjs";
import { hasRelaxedSimd } from "./fixture.mjs";

const header = [0, 97, 115, 109, 1, 0, 0, 0];
const vector = [0x41, 0, 0xfd, 0x0f]; // i32.const 0; i8x16.splat

/** A module of one function without parameters or results. */
function moduleOf(...code) {
  const body = [0, ...code, 0x0b];
  return Uint8Array.from([
    ...header,
    ...[1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0],
    ...[10, body.length + 2, 1, body.length, ...body],
  ]);
}

describe("instructions of relaxed SIMD under their draft numbers", () => {
  const fma = (low, high) => moduleOf(...vector, ...vector, ...vector, 0xfd, low, high, 0x1a);

  it("are renumbered there and back", () => {
    expect(toDraft(fma(0x85, 2))).toEqual(fma(0xaf, 1));
    expect(fromDraft(fma(0xaf, 1))).toEqual(fma(0x85, 2));
  });

  it("are told from constants that look like them", () => {
    const looksAlike = moduleOf(0x41, 0xfd, 0x85, 0x02, 0x1a, 0xfd, 12, ...Array(8).fill([0xfd, 0x85]).flat(), 0x1a);
    expect(WebAssembly.validate(looksAlike)).toBe(true);
    expect(toDraft(looksAlike)).toEqual(looksAlike);
  });

  it("are refused where the way back would be lost, or there is none", () => {
    expect(() => toDraft(fma(0xaf, 1))).toThrow(/draft/);
    expect(() => toDraft(fma(0x87, 2))).toThrow(/no draft is known/);
    expect(() => toDraft(moduleOf(0xfb))).toThrow(/not known/);
  });

  it.runIf(hasRelaxedSimd).each(["scorer.relaxed-simd", "scorer.relaxed-simd-threads", "scorer.simd"])(
    "leave %s as it was after going there and back",
    (name) => {
      const module = new Uint8Array(readFileSync(new URL(`../../packages/core/wasm/${name}.wasm`, import.meta.url)));
      const draft = toDraft(module);
      expect(Buffer.compare(fromDraft(draft), module)).toBe(0);
      expect(WebAssembly.validate(module)).toBe(true);
      const changed = draft.filter((byte, at) => byte !== module[at]).length;
      if (name === "scorer.simd") expect(changed).toBe(0);
      else expect(changed).toBeGreaterThan(100);
    },
  );
});
