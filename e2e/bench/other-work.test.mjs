import { describe, expect, it } from "vitest";
import { othersMedian, otherWork } from "./other-work.mjs";

const turn = (/** @type {number} */ othersBefore, /** @type {number} */ othersAfter) => ({
  subject: "native",
  file: "small",
  round: 0,
  started: "",
  loadBefore: 0,
  loadAfter: 0,
  othersBefore,
  othersAfter,
});
const machine = { processor: "", processors: 2, memoryGiB: 1, system: "" };

describe("otherWork", () => {
  it("tells the usual from the worst", () => {
    const turns = [turn(0, 0.1), turn(0.3, 2)];
    expect(othersMedian({ turns })).toBe(0.2);
    expect(otherWork({ turns, machine })).toBe("0.2 of 2 processors between turns (median of 4 moments; at most 2.0)");
  });
  it("knows nothing of a run without turns", () => {
    expect(otherWork({ turns: [], machine })).toBe("an unknown part of the processors");
  });
});
