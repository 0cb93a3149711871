import { describe, expect, expectTypeOf, it } from "vitest";
import { noul } from "./noul.js";
import type { NoulAnswer, Question } from "./question.js";

describe("noul", () => {
  it("offers true as yes, then false as no", () => {
    const question = noul("Is it?");
    expect(question.options).toEqual([
      { key: "true", text: "yes" },
      { key: "false", text: "no" },
    ]);
    expect(question.wire).toEqual({ type: "noul", instructions: "Is it?" });
    expectTypeOf(question).toEqualTypeOf<Question<NoulAnswer>>();
    expectTypeOf(question).toExtend<Question>();
  });

  it("describes the sides that have a criterion", () => {
    const question = noul("Is it?", { false: "Calm" });
    expect(question.options).toEqual([
      { key: "true", text: "yes" },
      { key: "false", text: "no", description: "Calm" },
    ]);
    expect(question.wire).toEqual({ type: "noul", instructions: "Is it?", criteria: { false: "Calm" } });
  });

  it("answers with the probability of yes", () => {
    expect(noul("Is it?").toAnswer([0.3, 0.7])).toEqual({
      type: "noul",
      noul: 0.3,
      value: false,
      probabilities: { true: 0.3, false: 0.7 },
      distribution: [
        { option: "true", probability: 0.3 },
        { option: "false", probability: 0.7 },
      ],
    });
  });

  it("takes yes when both are equally probable", () => {
    expect(noul("Is it?").toAnswer([0.5, 0.5]).value).toBe(true);
  });

  it("refuses blank instructions and criteria that are not text", () => {
    expect(() => noul(" ")).toThrow(expect.objectContaining({ code: "invalid_question" }));
    // @ts-expect-error criteria are text
    expect(() => noul("Is it?", { true: 3 })).toThrow("The description of yes is a number");
  });
});
