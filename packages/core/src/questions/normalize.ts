import { OptioError } from "../errors.js";
import { readUntrusted } from "../read-untrusted.js";
import { nameOf } from "./check-text.js";
import {
  isSchema,
  questionFromSchema,
  questionsFromSchema,
  type Schema,
  type SchemaAnswer,
  type SchemaAnswers,
} from "./from-schema.js";
import { questionFromWire, type WireAnswer, type WireQuestionInput } from "./from-wire.js";
import type { NamedQuestion, Question } from "./question.js";

/** One question: what a builder returns, System One JSON, or a schema of an enum, a boolean or a union of literals. */
export type QuestionInput = Question | WireQuestionInput | Schema;

/** The questions of a decision by id, or one object schema, whose properties are the questions. */
export type QuestionsInput = Readonly<Record<string, QuestionInput>> | Schema;

/** The typed answer to one question. */
export type AnswerOf<Q> =
  Q extends Question<infer A>
    ? A
    : Q extends Schema
      ? SchemaAnswer<Q>
      : Q extends WireQuestionInput
        ? WireAnswer<Q>
        : never;

/** The typed answers to questions, by id. */
export type AnswersOf<I> = I extends Schema ? SchemaAnswers<I> : { readonly [K in keyof I]: AnswerOf<I[K]> };

/**
 * Brings every way to write questions into one form. The order is that of the object's keys.
 *
 * @throws OptioError `invalid_question` when there is none or one is not valid; `invalid_options`, `invalid_schema`,
 *   `ambiguous_option_order`
 */
export function normalizeQuestions(input: QuestionsInput): readonly NamedQuestion[] {
  return readUntrusted("invalid_question", "The questions", () => readQuestions(input));
}

function readQuestions(input: QuestionsInput): readonly NamedQuestion[] {
  if (isSchema(input)) return questionsFromSchema(input);
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    throw new OptioError("invalid_question", `The questions are ${nameOf(input)}, not an object of questions.`, {
      hint: "Pass { id: question }; the answers have the same ids.",
    });
  }
  const entries = Object.entries(input);
  if (entries.length === 0) throw new OptioError("invalid_question", "There is no question.");
  return entries.map(([id, question]) => ({ id, question: toQuestion(question, id) }));
}

function toQuestion(input: QuestionInput, id: string): Question {
  if (isQuestion(input)) return input;
  return isSchema(input) ? questionFromSchema(input, id) : questionFromWire(input, [id]);
}

function isQuestion(input: unknown): input is Question {
  return typeof input === "object" && input !== null && "toAnswer" in input && typeof input.toAnswer === "function";
}
