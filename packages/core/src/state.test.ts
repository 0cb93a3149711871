import { describe, expect, it } from "vitest";
import { normalizeState } from "./state.js";

describe("normalizeState", () => {
  it("keeps text as it is", () => {
    expect(normalizeState("  My bill is wrong.\n")).toEqual({ kind: "text", text: "  My bill is wrong.\n" });
  });

  it("takes a list of messages as a conversation", () => {
    const messages = [{ role: "user", content: "Where is my card?" }];
    expect(normalizeState(messages)).toEqual({ kind: "messages", messages });
  });

  it("takes everything else as JSON", () => {
    expect(normalizeState({ amount: 3, paid: false })).toEqual({ kind: "json", value: { amount: 3, paid: false } });
    expect(normalizeState([{ role: "user" }])).toEqual({ kind: "json", value: [{ role: "user" }] });
    expect(normalizeState(0)).toEqual({ kind: "json", value: 0 });
  });

  it.each([["", " \n", null, undefined, [], {}]].flat())("refuses %j as empty", (state) => {
    expect(() => normalizeState(state)).toThrow(expect.objectContaining({ code: "invalid_state" }));
  });

  it.each([() => 1, Symbol("x"), 10n, { at: new Date() }, { x: Number.NaN }])("refuses what is not JSON", (state) => {
    expect(() => normalizeState(state)).toThrow(expect.objectContaining({ code: "invalid_state" }));
  });
});
