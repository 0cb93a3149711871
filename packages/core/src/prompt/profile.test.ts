import { describe, expect, it } from "vitest";
import { profiles } from "../generated/models.js";
import { builtInProfile, fillIn, parseProfile, profileIdentity } from "./profile.js";

const profile = builtInProfile("state-first");

describe("profiles", () => {
  it("that come with the library are valid", () => {
    for (const candidate of profiles) expect(parseProfile(structuredClone(candidate))).toEqual(candidate);
  });

  it("have a hash that changes with every field and not with their order", () => {
    const { sha256 } = profileIdentity(profile);
    const reordered = Object.fromEntries(Object.entries(profile).reverse());
    expect(profileIdentity(parseProfile(reordered)).sha256).toBe(sha256);
    expect(profileIdentity({ ...profile, system: `${profile.system} ` }).sha256).not.toBe(sha256);
    expect(profileIdentity({ ...profile, emptyState: "none" }).sha256).not.toBe(sha256);
  });

  it.each([
    [{ ...profile, state: "Input: {state}" }, /line break/],
    [{ ...profile, question: "{instructions}\n" }, /\{options\}/],
    [{ ...profile, state: "{text}: {state}\n" }, /no placeholders but \{state\}.*\n.*state/],
    [{ ...profile, option: { ...profile.option, sequence: profile.option.letter } }, /option\.sequence/],
    [{ ...profile, layout: "sideways" }, /layout/],
    [{ ...profile, extra: 1 }, /extra/],
    [null, /profile is not valid/],
  ])("that are wrong name the field", (value, message) => {
    expect(() => parseProfile(value)).toThrow(message);
  });
});

describe("builtInProfile", () => {
  it("names the known ones when asked for another", () => {
    expect(() => builtInProfile("none")).toThrow(
      expect.objectContaining({
        code: "invalid_setting",
        hint: expect.stringContaining("question-first, state-first"),
      }),
    );
  });
});

describe("fillIn", () => {
  it("never looks for placeholders inside values", () => {
    expect(fillIn("{a} {b} {c}", { a: "{b}", b: "$& {a}" })).toBe("{b} $& {a} {c}");
    expect(fillIn("{toString} {a}", { a: "x" })).toBe("{toString} x");
  });
});
