import { z } from "zod";
import { OptioError } from "../errors.js";
import { nameOf } from "./check-text.js";
import { choice, genericChoiceInstructions } from "./choice.js";
import { locateErrors } from "./locate-errors.js";
import { genericNoulInstructions, noul } from "./noul.js";
import { toOrderedJson, writeJson } from "./ordered-json.js";
import type { ChoiceAnswer, Json, NoulAnswer, Question, ScoreAnswer } from "./question.js";
import { readJson } from "./read-json.js";
import { genericScoreInstructions, score } from "./score.js";

/** Text, or an object or list that the model is shown as JSON; `null` for none. */
export type WireText = string | null | readonly Json[] | { readonly [key: string]: Json };

/** A question as System One JSON. Instructions may be left out: a general question of the type is asked then. */
export type WireQuestionInput = WireChoiceInput | WireNoulInput | WireScoreInput;

export interface WireChoiceInput {
  readonly type: "choice";
  readonly instructions?: WireText;
  /** Label -> description in the author's order, or [label, description] pairs, which keep it for labels such as "2" too. */
  readonly criteria: Readonly<Record<string, WireText>> | readonly (readonly [label: string, description: WireText])[];
}

export interface WireNoulInput {
  readonly type: "noul";
  readonly instructions?: WireText;
  readonly criteria?: { readonly true?: WireText; readonly false?: WireText } | null;
}

export interface WireScoreInput {
  readonly type: "score";
  readonly instructions?: WireText;
  /** 2 to 10 levels, lowest first; `null` for one without a description. */
  readonly criteria: readonly WireText[];
}

/** The answer to a question given as wire JSON. */
export type WireAnswer<W extends WireQuestionInput> = W extends { readonly type: "noul" }
  ? NoulAnswer
  : W extends { readonly type: "score" }
    ? ScoreAnswer
    : W extends { readonly type: "choice"; readonly criteria: infer C }
      ? ChoiceAnswer<WireLabel<C>>
      : never;

type WireLabel<C> = C extends readonly (readonly [infer L extends string, unknown])[] ? L : keyof C & string;

/**
 * Questions from JSON text in the System One form `{ id: { type, instructions, criteria } }`. The options keep the
 * order of the text, those that look like integers included.
 *
 * @throws OptioError `invalid_question` with line and column, or with the path of what is wrong; `invalid_options`
 */
export function parseQuestions(text: string): Record<string, Question> {
  return questionsFromWire(readJson(text));
}

/**
 * Questions from a parsed System One map: plain objects, or the maps that `readJson` returns.
 *
 * @throws OptioError `invalid_question` with the path of what is wrong; `invalid_options`; `ambiguous_option_order`
 *   for a plain object with labels such as "2"
 */
export function questionsFromWire(wire: unknown): Record<string, Question> {
  if (!isObject(wire)) {
    throw new OptioError("invalid_question", `The questions are ${nameOf(wire)}, not an object of questions.`);
  }
  const questions = entriesOf(wire);
  if (questions.length === 0) throw new OptioError("invalid_question", "There is no question.");
  return Object.fromEntries(questions.map(([id, question]) => [id, questionFromWire(question, [id])]));
}

/**
 * One question from parsed System One JSON.
 *
 * @param path where the question stands, for messages
 * @throws OptioError as `questionsFromWire`
 */
export function questionFromWire(wire: unknown, path: readonly string[] = []): Question {
  return locateErrors(path, () => {
    const parsed = wireQuestion.safeParse(wire);
    if (!parsed.success) throw wireError(parsed.error);
    return build(parsed.data);
  });
}

function wireError(error: z.ZodError): OptioError {
  const [issue] = error.issues;
  const where = issue?.path.map(String).join(".") ?? "";
  const what =
    issue?.code === "unrecognized_keys"
      ? `has the unknown field "${issue.keys[0]}"`
      : (issue?.message ?? "is not valid");
  return new OptioError("invalid_question", where === "" ? `The question ${what}.` : `${where} ${what}.`, {
    ...(where === "" ? {} : { details: { field: where } }),
  });
}

function build(wire: z.infer<typeof wireQuestion>): Question {
  switch (wire.type) {
    case "choice":
      return choice(wire.instructions ?? genericChoiceInstructions, wire.criteria);
    case "noul":
      return noul(wire.instructions ?? genericNoulInstructions, wire.criteria);
    case "score":
      return score(
        wire.instructions ?? genericScoreInstructions,
        wire.criteria.map((text, level) => text ?? String(level)),
      );
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const entriesOf = (object: object): [string, unknown][] =>
  object instanceof Map ? [...object] : Object.entries(object);

/** For objects with fixed fields, where order means nothing. */
const plainObject = (value: unknown) => (value instanceof Map ? Object.fromEntries(value) : value);

/** Text stays; objects and lists become JSON text in their order. */
const wireText = z.unknown().transform((value, context): string | null => {
  if (value === null || typeof value === "string") return value;
  if (typeof value === "object") return writeJson(toOrderedJson(value));
  context.addIssue(`is ${nameOf(value)}, not text, an object, a list or null`);
  return z.NEVER;
});

const instructions = wireText.optional();

const choiceCriteria = z.unknown().transform((criteria, context) => {
  if (typeof criteria !== "object" || criteria === null) {
    context.addIssue(`is ${nameOf(criteria)}, not an object of labels and descriptions`);
    return z.NEVER;
  }
  const pairs = (Array.isArray(criteria) ? criteria : entriesOf(criteria)).map((pair: unknown, index) => {
    const [label, description] = Array.isArray(pair) ? pair : [];
    const text = wireText.safeParse(description ?? null);
    if (typeof label !== "string" || (Array.isArray(pair) && pair.length > 2)) {
      context.addIssue({ code: "custom", path: [index], message: "is not a [label, description] pair" });
    } else if (!text.success) {
      context.addIssue({ code: "custom", path: [label], message: text.error.issues[0]?.message ?? "" });
    }
    return [label, text.data ?? null] as [string, string | null];
  });
  const keepsOrder = Array.isArray(criteria) || criteria instanceof Map;
  return keepsOrder ? pairs : Object.fromEntries(pairs);
});

const noulCriteria = z.preprocess(
  plainObject,
  z
    .strictObject(
      { true: wireText.optional(), false: wireText.optional() },
      { error: ({ input }) => (isObject(input) ? undefined : `is ${nameOf(input)}, not an object of true and false`) },
    )
    .nullish()
    .transform((criteria) => ({ true: criteria?.true ?? "", false: criteria?.false ?? "" })),
);

const scoreCriteria = z.array(wireText, { error: ({ input }) => `is ${nameOf(input)}, not a list of levels` });

const wireQuestion = z.preprocess(
  plainObject,
  z.discriminatedUnion(
    "type",
    [
      z.strictObject({ type: z.literal("choice"), instructions, criteria: choiceCriteria }),
      z.strictObject({ type: z.literal("noul"), instructions, criteria: noulCriteria }),
      z.strictObject({ type: z.literal("score"), instructions, criteria: scoreCriteria }),
    ],
    { error: ({ input }) => (isObject(input) ? "is not choice, noul or score" : `is ${nameOf(input)}, not an object`) },
  ),
);
