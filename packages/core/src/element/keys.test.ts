import { describe, expect, it } from "vitest";
import { defaultKeys, readKeys } from "./keys.js";

describe("keys", () => {
  it("are the default ones, or others", () => {
    expect(readKeys({})).toEqual(defaultKeys);
    expect(readKeys({ accept: "y" })).toEqual({ accept: "y", undo: "z" });
    expect(readKeys({ accept: null })).toEqual({ accept: null, undo: "z" });
  });

  it.each([
    ["two commands on one key", { accept: "z" }],
    ["a digit, which chooses an option", { accept: "1" }],
    ["a command that does not exist", { skip: "s" }],
    ["what is no key", { accept: 7 }],
  ])("refuse %s", (_, keys) => {
    expect(() => readKeys(keys as never)).toThrow(expect.objectContaining({ code: "invalid_setting" }));
  });
});
