import { describe, expect, it } from "vitest";
import { type ErrorCode, errorHints, OptioError } from "./errors.js";

describe("OptioError", () => {
  it("keeps code, hint, details and cause over a wire", () => {
    const error = new OptioError("no_space", "2 GB are needed, 1 GB is free.", {
      cause: "ENOSPC",
      details: { neededBytes: 2e9, freeBytes: 1e9 },
    });
    const back = OptioError.fromWire(structuredClone(error.toWire()));
    expect(back).toMatchObject({
      code: "no_space",
      message: error.message,
      hint: errorHints.no_space,
      cause: "ENOSPC",
    });
    expect(back.details).toEqual({ neededBytes: 2e9, freeBytes: 1e9 });
  });

  it("is recognised across copies of the library", () => {
    const foreign = { [Symbol.for("optio.error")]: true, code: "timeout" };
    expect(OptioError.isInstance(foreign)).toBe(true);
    expect(OptioError.isInstance(foreign, "timeout")).toBe(true);
    expect(OptioError.isInstance(foreign, "internal")).toBe(false);
    expect(OptioError.isInstance(new TypeError("no"))).toBe(false);
  });

  it("keeps what it is made from as the cause", () => {
    const cause = new TypeError("x is not a function");
    expect(OptioError.from(cause)).toMatchObject({ code: "internal", message: cause.message, cause });
    const own = new OptioError("timeout", "late");
    expect(OptioError.from(own, "internal")).toBe(own);
  });

  it("has a hint that is a sentence for every code", () => {
    for (const code of Object.keys(errorHints) as ErrorCode[]) {
      expect(errorHints[code], code).toMatch(/^[`A-Z].{15,}[.)]$/);
    }
  });
});
