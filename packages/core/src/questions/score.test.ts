import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { Question, ScoreAnswer } from "./question.js";
import { score } from "./score.js";

const levels = ["can wait", "this week", "today"];

describe("score", () => {
  it("numbers the levels from 0 and describes them by their text", () => {
    const question = score("How urgent?", levels);
    expect(question.options).toEqual([
      { key: "0", description: "can wait" },
      { key: "1", description: "this week" },
      { key: "2", description: "today" },
    ]);
    expect(question.wire).toEqual({ type: "score", instructions: "How urgent?", criteria: levels });
    expectTypeOf(question).toEqualTypeOf<Question<ScoreAnswer>>();
    expectTypeOf(question).toExtend<Question>();
  });

  it("answers with the expected and the most probable level", () => {
    const answer = score("How urgent?", levels).toAnswer([0.25, 0.25, 0.5]);
    expect(answer.score).toBe(1.25);
    expect(answer.level).toBe(2);
    expect(answer.legend).toEqual({ 0: "can wait", 1: "this week", 2: "today" });
    expect(answer.probabilities).toEqual({ 0: 0.25, 1: 0.25, 2: 0.5 });
  });

  it("leaves a level undescribed whose text is its number", () => {
    expect(score("How many?", ["none", "1", "2"]).options).toEqual([
      { key: "0", description: "none" },
      { key: "1" },
      { key: "2" },
    ]);
  });

  it("does not change when the caller's list does", () => {
    const list = [...levels];
    const question = score("How urgent?", list);
    list[0] = "changed";
    expect(question.toAnswer([1, 0, 0]).legend["0"]).toBe("can wait");
  });

  it.each([[[]], [["only"]], [Array.from({ length: 11 }, (_, level) => `level ${level}`)], [["low", " "]]])(
    "refuses the levels %j",
    (bad) => {
      expect(() => score("How?", bad)).toThrow(expect.objectContaining({ code: "invalid_options" }));
    },
  );

  it("takes 10 levels", () => {
    expect(
      score(
        "How?",
        Array.from({ length: 10 }, (_, level) => `level ${level}`),
      ).options,
    ).toHaveLength(10);
  });

  it("refuses levels that are not text or not a list", () => {
    // @ts-expect-error levels are text
    expect(() => score("How?", ["low", 5])).toThrow("Level 1 is a number");
    // @ts-expect-error levels are a list
    expect(() => score("How?", "low")).toThrow("The levels are a string");
  });

  it("expects a level between the lowest and the highest", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 10 }), (values) => {
        const sum = values.reduce((total, value) => total + value, 0);
        fc.pre(sum > 0.01);
        const question = score(
          "How?",
          values.map((_, level) => `level ${level}`),
        );
        const answer = question.toAnswer(values.map((value) => value / sum));
        expect(answer.score).toBeGreaterThanOrEqual(0);
        expect(answer.score).toBeLessThanOrEqual(values.length - 1);
      }),
    );
  });
});
