import { describe, expect, it } from "vitest";
import { chooseVariant, detectFeatures } from "./variant.js";

const all = { simd: true, threads: true, processors: 4 };

describe("chooseVariant", () => {
  it("takes threads where memory can be shared", () => {
    expect(chooseVariant(all, {})).toEqual({ variant: "simd-threads", threads: 4 });
    expect(chooseVariant({ ...all, threads: false }, {})).toEqual({ variant: "simd", threads: 1 });
  });

  it("takes the build without threads on one processor", () => {
    expect(chooseVariant({ ...all, processors: 1 }, {})).toEqual({ variant: "simd", threads: 1 });
  });

  it("does as it is told", () => {
    expect(chooseVariant(all, { variant: "simd" })).toEqual({ variant: "simd", threads: 1 });
    expect(chooseVariant(all, { threads: 2 })).toEqual({ variant: "simd-threads", threads: 2 });
  });

  it("says what is missing instead of taking something else", () => {
    const alone = { ...all, threads: false };
    expect(() => chooseVariant(alone, { variant: "simd-threads" })).toThrow(/shared memory/);
    expect(() => chooseVariant({ ...all, simd: false }, {})).toThrow(/SIMD/);
    expect(() => chooseVariant(all, { variant: "simd", threads: 2 })).toThrow(/one thread/);
    expect(() => chooseVariant(all, { threads: 0 })).toThrow(/1 to 64/);
  });
});

describe("detectFeatures", () => {
  it("finds SIMD and shared memory in this runtime", () => {
    expect(detectFeatures(2)).toEqual({ simd: true, threads: true, processors: 2 });
  });
});
