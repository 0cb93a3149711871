import { describe, expect, it } from "vitest";
import { lettersOf, promptEnd, promptStart, questionsOf, states } from "./workload.mjs";

describe("questionsOf", () => {
  it("asks so many different questions", () => {
    for (const count of [1, 8, 32]) {
      const texts = Object.values(questionsOf(count)).map(promptEnd);
      expect(new Set(texts).size).toBe(count);
    }
  });
  it("lets no two questions after the eight begin alike with those before", () => {
    const [first, , , , , , , , ninth] = Object.values(questionsOf(9));
    expect(first?.instructions).toMatch(/^Which team/);
    expect(ninth?.instructions).toMatch(/^Reader 2 asks: Which team/);
  });
});

describe("states", () => {
  it("are about as long as they say: a token of such text is about four characters", () => {
    for (const size of /** @type {const} */ ([100, 500, 2000])) {
      const characters = promptStart(size).length;
      expect(characters / size).toBeGreaterThan(3.6);
      expect(characters / size).toBeLessThan(5.2);
    }
  });
  it("do not repeat themselves from the start, so that nothing can be kept of one for another", () => {
    expect(states[2000].split("Ticket ").length - 1).toBe(4);
  });
});

describe("lettersOf", () => {
  it("names a letter for each option", () => {
    const { first, leaving } = questionsOf(8);
    expect(first && lettersOf(first)).toEqual(["A", "B", "C", "D"]);
    expect(leaving && lettersOf(leaving)).toEqual(["A", "B"]);
  });
});
