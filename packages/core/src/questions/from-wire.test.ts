import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { OptioError } from "../errors.js";
import { choice } from "./choice.js";
import { parseQuestions, questionFromWire, questionsFromWire, type WireAnswer } from "./from-wire.js";
import { noul } from "./noul.js";
import type { ChoiceAnswer, NoulAnswer, Question, ScoreAnswer } from "./question.js";
import { score } from "./score.js";

const facts = ({ type, instructions, options, wire }: Question) => ({ type, instructions, options, wire });
const codeOf = (code: string) => expect.objectContaining({ code });

describe("questionFromWire", () => {
  it("makes the same questions as the builders", () => {
    const criteria = { billing: "Invoices", other: null };
    expect(facts(questionFromWire({ type: "choice", instructions: "Which?", criteria }))).toEqual(
      facts(choice("Which?", criteria)),
    );
    expect(facts(questionFromWire({ type: "noul", instructions: "Is it?", criteria: { true: "Yes, when" } }))).toEqual(
      facts(noul("Is it?", { true: "Yes, when" })),
    );
    expect(facts(questionFromWire({ type: "score", instructions: "How?", criteria: ["low", "high"] }))).toEqual(
      facts(score("How?", ["low", "high"])),
    );
  });

  it.each([
    choice("Which?", ["b", ["2", "two"], ["1", null]]),
    noul("Is it?"),
    noul("Is it?", { true: "t", false: "f" }),
    score("How?", ["low", "high"]),
  ])("reads the wire form of a question back: $wire.type", (question) => {
    expect(facts(questionFromWire(JSON.parse(JSON.stringify(question.wire))))).toEqual(facts(question));
  });

  it.each([
    [{ type: "choice", criteria: { a: null, b: null } }, "Which of the options fits best?"],
    [{ type: "noul", instructions: null }, "Is it true?"],
    [{ type: "score", instructions: null, criteria: ["low", "high"] }, "Which of the levels fits best?"],
  ])("asks a general question where %j has no instructions", (wire, instructions) => {
    expect(questionFromWire(wire).instructions).toBe(instructions);
  });

  it("shows instructions and descriptions that are not text as JSON", () => {
    const question = questionFromWire({
      type: "choice",
      instructions: { task: "route", rules: [1, null] },
      criteria: { a: { when: "always" }, b: ["x", 2] },
    });
    expect(question.instructions).toBe('{"task":"route","rules":[1,null]}');
    expect(question.options).toEqual([
      { key: "a", description: '{"when":"always"}' },
      { key: "b", description: '["x",2]' },
    ]);
  });

  it("leaves a null level undescribed", () => {
    const question = questionFromWire({ type: "score", criteria: ["low", null, "high"] });
    expect(question.options).toEqual([
      { key: "0", description: "low" },
      { key: "1" },
      { key: "2", description: "high" },
    ]);
  });

  it("takes null criteria of a noul as none", () => {
    expect(questionFromWire({ type: "noul", instructions: "Is it?", criteria: null }).wire).toEqual(
      noul("Is it?").wire,
    );
  });

  it.each([
    [{ type: "rank", criteria: [] }, "invalid_question", "q: type is not choice, noul or score."],
    [{ criteria: [] }, "invalid_question", "q: type is not choice, noul or score."],
    [null, "invalid_question", "q: The question is null, not an object."],
    [[], "invalid_question", "q: The question is a list, not an object."],
    [{ type: "choice" }, "invalid_question", "q: criteria is undefined, not an object of labels and descriptions."],
    [{ type: "choice", criteria: "a" }, "invalid_question", "q: criteria is a string, not an object of labels"],
    [{ type: "choice", criteria: { a: 1, b: null } }, "invalid_question", "q: criteria.a is a number, not text"],
    [{ type: "choice", criteria: ["a", "b"] }, "invalid_question", "q: criteria.0 is not a [label, description] pair."],
    [{ type: "choice", criteria: { a: null } }, "invalid_options", "q: A choice takes 2 to 255 options"],
    [{ type: "choice", criteria: { a: null, 2: null } }, "ambiguous_option_order", "q: The options are an object"],
    [
      { type: "choice", instructions: " ", criteria: { a: null, b: null } },
      "invalid_question",
      "q: The instructions are",
    ],
    [
      { type: "choice", instructions: 5, criteria: { a: null, b: null } },
      "invalid_question",
      "q: instructions is a number",
    ],
    [{ type: "noul", criteria: { yes: "x" } }, "invalid_question", 'q: criteria has the unknown field "yes".'],
    [{ type: "noul", criteria: "x" }, "invalid_question", "q: criteria is a string, not an object of true and false."],
    [{ type: "noul", criterai: {} }, "invalid_question", 'q: The question has the unknown field "criterai".'],
    [{ type: "noul", instructions: { f: () => 1 } }, "invalid_question", "q: a function is not JSON."],
    [{ type: "score", criteria: { 0: "low" } }, "invalid_question", "q: criteria is an object, not a list of levels."],
    [{ type: "score", criteria: ["low", 2] }, "invalid_question", "q: criteria.1 is a number"],
    [{ type: "score", criteria: ["low"] }, "invalid_options", "q: A score takes 2 to 10 levels"],
  ])("refuses %j, saying where and what", (wire, code, message) => {
    expect(() => questionFromWire(wire, ["q"])).toThrow(codeOf(code));
    expect(() => questionFromWire(wire, ["q"])).toThrow(message);
  });

  it("throws errors of optio only", () => {
    const wire = fc.oneof(
      fc.anything(),
      fc.record({
        type: fc.constantFrom("choice", "noul", "score"),
        instructions: fc.anything(),
        criteria: fc.anything(),
      }),
    );
    fc.assert(
      fc.property(wire, (value) => {
        try {
          questionFromWire(value);
        } catch (error) {
          if (!OptioError.isInstance(error)) throw error;
        }
      }),
    );
  });
});

describe("WireAnswer", () => {
  it("has the literals of the wire", () => {
    type Choice = { readonly type: "choice"; readonly criteria: { readonly a: "x"; readonly b: null } };
    type Pairs = { readonly type: "choice"; readonly criteria: readonly [readonly ["2", null], readonly ["1", "one"]] };
    expectTypeOf<WireAnswer<Choice>>().toEqualTypeOf<ChoiceAnswer<"a" | "b">>();
    expectTypeOf<WireAnswer<Pairs>>().toEqualTypeOf<ChoiceAnswer<"2" | "1">>();
    expectTypeOf<WireAnswer<{ type: "noul" }>>().toEqualTypeOf<NoulAnswer>();
    expectTypeOf<WireAnswer<{ type: "score"; criteria: ["low", "high"] }>>().toEqualTypeOf<ScoreAnswer>();
  });
});

describe("parseQuestions", () => {
  it("keeps integer-like labels where the text has them", () => {
    const { q } = parseQuestions(
      '{"q": {"type": "choice", "criteria": {"b": "the b", "10": {"z": 1, "0": 2}, "2": null}}}',
    );
    expect(q?.options).toEqual([
      { key: "b", description: "the b" },
      { key: "10", description: '{"z":1,"0":2}' },
      { key: "2" },
    ]);
  });

  it("keeps any labels in any order", () => {
    const label = fc.oneof(fc.string(), fc.nat().map(String), fc.constantFrom("__proto__", "constructor"));
    const labels = fc.uniqueArray(
      label.filter((text) => text.trim() !== ""),
      {
        minLength: 2,
        maxLength: 12,
        selector: (text) => text.trim(),
      },
    );
    fc.assert(
      fc.property(labels, (keys) => {
        const criteria = keys.map((key) => `${JSON.stringify(key)}: null`).join(", ");
        const { q } = parseQuestions(`{"q": {"type": "choice", "criteria": {${criteria}}}}`);
        expect(q?.options.map(({ key }) => key)).toEqual(keys);
      }),
    );
  });

  it.each([
    ["{}", "There is no question."],
    ["[]", "The questions are a list"],
    ["3", "The questions are a number"],
    ['{"q": {"type": "noul"}, "q": {"type": "noul"}}', 'the key "q" a second time'],
    ['{"q": {"type": "noul", "type": "score"}}', 'the key "type" a second time'],
    ['{"q": {"type": "choice", "criteria": {"a": null}}}', "q: A choice takes 2 to 255 options"],
  ])("refuses %s", (text, message) => {
    expect(() => parseQuestions(text)).toThrow(message);
  });

  it("takes a question called __proto__", () => {
    expect(Object.keys(parseQuestions('{"__proto__": {"type": "noul"}}'))).toEqual(["__proto__"]);
  });
});

describe("questionsFromWire", () => {
  it("takes a plain object", () => {
    const questions = questionsFromWire({ angry: { type: "noul", instructions: "Angry?" } });
    expect(questions["angry"]?.instructions).toBe("Angry?");
  });
});
