import { describe, expect, it } from "vitest";
import { chooseVariant, detectFeatures } from "./variant.js";

const all = { simd: true, relaxedSimd: false, threads: true, processors: 4 };

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

  it("takes relaxed SIMD where there is any, unless told not to", () => {
    const relaxed = { ...all, relaxedSimd: true };
    expect(chooseVariant(relaxed, {})).toEqual({ variant: "relaxed-simd-threads", threads: 4 });
    expect(chooseVariant({ ...relaxed, threads: false }, {})).toEqual({ variant: "relaxed-simd", threads: 1 });
    expect(chooseVariant(relaxed, { variant: "simd-threads" })).toEqual({ variant: "simd-threads", threads: 4 });
    expect(() => chooseVariant(all, { variant: "relaxed-simd" })).toThrow(/no relaxed SIMD/);
    expect(() => chooseVariant(relaxed, { variant: "relaxed-simd", threads: 2 })).toThrow(/one thread/);
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
    expect(detectFeatures(2)).toMatchObject({ simd: true, threads: true, processors: 2 });
  });

  it("finds relaxed SIMD by the version of V8 that has it unasked", () => {
    const [major = 0, minor = 0] = process.versions.v8.split(".").map(Number);
    const asked = process.execArgv.includes("--experimental-wasm-relaxed-simd");
    expect(detectFeatures(2).relaxedSimd).toBe(asked || major > 11 || (major === 11 && minor >= 4));
  });
});
