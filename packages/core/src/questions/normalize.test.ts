import { type } from "arktype";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { choice } from "./choice.js";
import { type AnswersOf, normalizeQuestions, type QuestionsInput } from "./normalize.js";
import { noul } from "./noul.js";
import type { Answer, ChoiceAnswer, NoulAnswer, Question, ScoreAnswer } from "./question.js";
import { score } from "./score.js";

/** Infers as `decide` does. */
const infer = <const I extends QuestionsInput>(input: I) => ({ input, answers: {} as AnswersOf<I> });

describe("normalizeQuestions", () => {
  it("brings builders, wire JSON and schemas into one form and types their answers", () => {
    const { input, answers } = infer({
      team: choice("Which team?", ["billing", "technical"]),
      angry: noul("Angry?"),
      urgency: score("How urgent?", ["low", "high"]),
      wireTeam: { type: "choice", instructions: "Which?", criteria: { x: "the x", y: null } },
      wirePairs: {
        type: "choice",
        criteria: [
          ["2", "two"],
          ["1", null],
        ],
      },
      wireAngry: { type: "noul" },
      wireUrgency: { type: "score", criteria: ["low", "high"] },
      zodTeam: z.enum(["p", "q"]).describe("Which?"),
      arkAngry: type("boolean").describe("Angry?"),
    });
    expect(normalizeQuestions(input).map(({ id, question }) => [id, question.type])).toEqual([
      ["team", "choice"],
      ["angry", "noul"],
      ["urgency", "score"],
      ["wireTeam", "choice"],
      ["wirePairs", "choice"],
      ["wireAngry", "noul"],
      ["wireUrgency", "score"],
      ["zodTeam", "choice"],
      ["arkAngry", "noul"],
    ]);
    expectTypeOf(answers).toEqualTypeOf<{
      readonly team: ChoiceAnswer<"billing" | "technical">;
      readonly angry: NoulAnswer;
      readonly urgency: ScoreAnswer;
      readonly wireTeam: ChoiceAnswer<"x" | "y">;
      readonly wirePairs: ChoiceAnswer<"2" | "1">;
      readonly wireAngry: NoulAnswer;
      readonly wireUrgency: ScoreAnswer;
      readonly zodTeam: ChoiceAnswer<"p" | "q">;
      readonly arkAngry: NoulAnswer;
    }>();
  });

  it("takes an object schema", () => {
    const { input, answers } = infer(z.object({ team: z.enum(["a", "b"]), angry: z.boolean() }));
    expect(normalizeQuestions(input).map(({ id }) => id)).toEqual(["team", "angry"]);
    expectTypeOf(answers).toEqualTypeOf<{ readonly team: ChoiceAnswer<"a" | "b">; readonly angry: NoulAnswer }>();
  });

  it("takes an object schema of arktype, which is a function", () => {
    const { input } = infer(type({ angry: "boolean" }));
    expect(normalizeQuestions(input).map(({ id }) => id)).toEqual(["angry"]);
  });

  it("types the answers to questions that are only known at run time", () => {
    const questions: Record<string, Question> = { any: noul("Is it?") };
    expectTypeOf(infer(questions).answers).toEqualTypeOf<{ readonly [id: string]: Answer }>();
  });

  it("passes a built question on as it is", () => {
    const question = noul("Is it?");
    expect(normalizeQuestions({ q: question })[0]?.question).toBe(question);
  });

  it.each([
    [{}, "invalid_question", "There is no question."],
    [null, "invalid_question", "The questions are null"],
    ["Is it?", "invalid_question", "The questions are a string"],
    [[noul("Is it?")], "invalid_question", "The questions are a list"],
    [{ q: "Is it?" }, "invalid_question", "q: The question is a string, not an object."],
    [{ q: undefined }, "invalid_question", "q: The question is undefined, not an object."],
    [
      { q: { type: "choice", criteria: { 1: null, 0: null } } },
      "ambiguous_option_order",
      "q: The options are an object",
    ],
    [{ q: z.string() }, "invalid_schema", "q: The schema is of type string"],
  ])("refuses %j", (input, code, message) => {
    const call = () => normalizeQuestions(input as unknown as QuestionsInput);
    expect(call).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
  });
});
