import { describe, expect, it } from "vitest";
import { readOptions } from "./options.mjs";
import { pick } from "./selection.mjs";

/** @type {{ id: string, tier: import("./selection.mjs").Tier }[]} */
const all = [
  { id: "native", tier: "quick" },
  { id: "native-1", tier: "full" },
  { id: "wllama", tier: "default" },
];
const names = (/** @type {{ id: string }[]} */ entries) => entries.map(({ id }) => id);

describe("pick", () => {
  it("takes a tier and those before it when nothing is named", () => {
    expect(names(pick("subjects", all, "quick", undefined))).toEqual(["native"]);
    expect(names(pick("subjects", all, "default", undefined))).toEqual(["native", "wllama"]);
    expect(names(pick("subjects", all, "full", undefined))).toEqual(["native", "native-1", "wllama"]);
  });
  it("takes a whole name for itself, and a part for all that hold it, in the usual order", () => {
    expect(names(pick("subjects", all, "quick", "wllama, native"))).toEqual(["native", "wllama"]);
    expect(names(pick("subjects", all, "quick", "nat"))).toEqual(["native", "native-1"]);
  });
  it("refuses a name that nothing has", () => {
    expect(() => pick("subjects", all, "quick", "bun")).toThrow("--subjects: nothing is named bun; there are native");
    expect(() => pick("subjects", all, "quick", " ,")).toThrow("--subjects is empty");
  });
});

describe("readOptions", () => {
  it("has a budget unless everything is asked for", () => {
    expect(readOptions([])).toMatchObject({ tier: "default", repetitions: 3, budgetMs: 1_200_000, prepare: false });
    expect(readOptions(["--full"])).toMatchObject({ budgetMs: Number.POSITIVE_INFINITY, prepare: true });
    expect(readOptions(["--quick"])).toMatchObject({ repetitions: 1, peerRepetitions: 1, limitMs: 90_000 });
  });
  it("selects files and measures by parts of their names", () => {
    const { files, measures } = readOptions(["--files", "smollm2", "--measures", "prefill,load"]);
    expect(names(files)).toEqual(["smollm2-135m-q4_1", "smollm2-135m-q4_0", "smollm2-135m-q8_0"]);
    expect(names(measures)).toEqual(["load", "prefill-100", "prefill-500", "prefill-2000"]);
  });
  it.each([
    [["--repetitions", "0"], "--repetitions must be a whole number from 1, not 0"],
    [["--limit", "soon"], "--limit must be a whole number from 1, not soon"],
    [["--quick", "--full"], "exclude each other"],
    [["--files", "llama3"], "nothing is named llama3"],
    [["--fast"], "--fast"],
  ])("refuses %j", (args, message) => {
    expect(() => readOptions(args)).toThrow(message);
  });
});
