import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { OptioError } from "../errors.js";
import { choice } from "./choice.js";
import type { AnswerValue, ChoiceAnswer, Question } from "./question.js";

describe("choice", () => {
  it("takes a list of keys", () => {
    const question = choice("Which team?", ["billing", "technical"]);
    expect(question.options).toEqual([{ key: "billing" }, { key: "technical" }]);
    expectTypeOf(question).toEqualTypeOf<Question<ChoiceAnswer<"billing" | "technical">>>();
    expectTypeOf(question).toExtend<Question>();
  });

  it("takes pairs of key and description, keeping integer-like keys in place", () => {
    const question = choice("Which?", [
      ["b", "the b"],
      ["10", null],
      ["2", "two"],
    ]);
    expect(question.options).toEqual([
      { key: "b", description: "the b" },
      { key: "10" },
      { key: "2", description: "two" },
    ]);
    expectTypeOf(question).toEqualTypeOf<Question<ChoiceAnswer<"b" | "10" | "2">>>();
  });

  it("takes keys and pairs mixed", () => {
    const question = choice("Which?", ["a", ["b", "the b"]]);
    expect(question.options.map(({ key }) => key)).toEqual(["a", "b"]);
    expectTypeOf(question).toEqualTypeOf<Question<ChoiceAnswer<"a" | "b">>>();
  });

  it("takes an object of descriptions in the order of its keys", () => {
    const question = choice("Which?", { z: "last letter", a: null });
    expect(question.options).toEqual([{ key: "z", description: "last letter" }, { key: "a" }]);
    expectTypeOf(question).toEqualTypeOf<Question<ChoiceAnswer<"z" | "a">>>();
  });

  it("has string keys where the options are not literals", () => {
    const keys: string[] = ["a", "b"];
    expectTypeOf(choice("Which?", keys)).toEqualTypeOf<Question<ChoiceAnswer<string>>>();
  });

  it("keeps the wire form with criteria as ordered pairs", () => {
    expect(choice("Which?", ["b", ["1", "one"]]).wire).toEqual({
      type: "choice",
      instructions: "Which?",
      criteria: [
        ["b", null],
        ["1", "one"],
      ],
    });
  });

  it("answers with the most probable option and both forms of the distribution", () => {
    const answer = choice("Which?", ["x", "2", "1"]).toAnswer([0.2, 0.5, 0.3]);
    expect(answer).toEqual({
      type: "choice",
      choice: "2",
      probabilities: { x: 0.2, 2: 0.5, 1: 0.3 },
      distribution: [
        { option: "x", probability: 0.2 },
        { option: "2", probability: 0.5 },
        { option: "1", probability: 0.3 },
      ],
    });
    expectTypeOf(answer).toEqualTypeOf<AnswerValue<ChoiceAnswer<"x" | "2" | "1">>>();
    expectTypeOf(answer.choice).toEqualTypeOf<"x" | "2" | "1">();
  });

  it("takes the author's first of equally probable options", () => {
    expect(choice("Which?", ["b", "a", "c"]).toAnswer([0.4, 0.4, 0.2]).choice).toBe("b");
  });

  it("holds keys such as __proto__ as data", () => {
    const { probabilities } = choice("Which?", ["__proto__", "constructor"]).toAnswer([0.25, 0.75]);
    expect(Object.entries(probabilities)).toEqual([
      ["__proto__", 0.25],
      ["constructor", 0.75],
    ]);
  });

  it("shows the model a key without the blanks round it", () => {
    expect(choice("Which?", [" a ", "b"]).options).toEqual([{ key: " a ", text: "a" }, { key: "b" }]);
  });

  it("takes a blank description as none", () => {
    expect(choice("Which?", { a: "  ", b: "" }).options).toEqual([{ key: "a" }, { key: "b" }]);
  });

  it.each([
    ["no options", []],
    ["one option", ["a"]],
    ["256 options", Array.from({ length: 256 }, (_, index) => `option ${index}`)],
    ["a blank option", ["a", " "]],
    ["equal options", ["a", "b", "a"]],
    ["options that differ in blanks only", ["a", " a"]],
  ])("refuses %s", (_, options) => {
    expect(() => choice("Which?", options)).toThrow(expect.objectContaining({ code: "invalid_options" }));
  });

  it.each([2, 255])("takes %i options", (count) => {
    expect(
      choice(
        "Which?",
        Array.from({ length: count }, (_, index) => `${index}`),
      ).options,
    ).toHaveLength(count);
  });

  it("refuses an object whose key JavaScript moves", () => {
    const options = { b: null, "2": null };
    expect(() => choice("Which?", options)).toThrow(expect.objectContaining({ code: "ambiguous_option_order" }));
  });

  it.each(["-1", "01", "1.5", "4294967295"])("takes an object with the key %s, which stays where it is", (key) => {
    expect(choice("Which?", { b: null, [key]: null }).options.map((option) => option.key)).toEqual(["b", key]);
  });

  it("refuses values of other types with a message that names them", () => {
    // @ts-expect-error options are text or pairs
    expect(() => choice("Which?", ["a", 3])).toThrow("Option 2 is a number");
    // @ts-expect-error descriptions are text or null
    expect(() => choice("Which?", { a: 1, b: null })).toThrow('The description of option "a" is a number');
    // @ts-expect-error options are a list or an object
    expect(() => choice("Which?", null)).toThrow("The options are null");
  });

  it.each(["", "  \n"])("refuses blank instructions %j", (instructions) => {
    expect(() => choice(instructions, ["a", "b"])).toThrow(expect.objectContaining({ code: "invalid_question" }));
  });

  it("refuses distributions that do not fit", () => {
    const question = choice("Which?", ["a", "b"]);
    for (const bad of [[1], [0.5, 0.25, 0.25], [Number.NaN, 1], [-0.5, 1.5], [0.5, 0.4]]) {
      expect(() => question.toAnswer(bad)).toThrow(expect.objectContaining({ code: "invalid_distribution" }));
    }
  });

  it("chooses an option that no other beats, and keeps every probability", () => {
    const weights = fc.array(fc.double({ min: 0.001, max: 1, noNaN: true }), { minLength: 2, maxLength: 20 });
    fc.assert(
      fc.property(weights, (values) => {
        const sum = values.reduce((total, value) => total + value, 0);
        const probabilities = values.map((value) => value / sum);
        const question = choice(
          "Which?",
          values.map((_, index) => `k${index}`),
        );
        const answer = question.toAnswer(probabilities);
        expect(answer.probabilities[answer.choice]).toBe(Math.max(...probabilities));
        expect(answer.distribution.map(({ probability }) => probability)).toEqual(probabilities);
      }),
    );
  });

  it("throws errors of optio only", () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (instructions, options) => {
        try {
          choice(instructions as string, options as string[]);
        } catch (error) {
          expect(OptioError.isInstance(error)).toBe(true);
        }
      }),
    );
  });
});
