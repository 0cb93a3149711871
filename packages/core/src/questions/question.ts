/** Anything that JSON can hold. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export type QuestionType = "choice" | "noul" | "score";

/** One possible outcome of a question. */
export interface Option {
  /** The author's name of the outcome, and its name in the answer. */
  readonly key: string;
  /** What the model is shown, and what the sequence readout scores, where that is not the key. */
  readonly text?: string;
  /** What the outcome means, shown to the model beside the key. */
  readonly description?: string;
}

/**
 * A question in the one form that everything after `questions/` works with. Each type of question is a file that
 * makes one; the type is only a name from here on.
 */
export interface Question<A extends Answer = Answer> {
  readonly type: QuestionType;
  /** The question itself, not empty. */
  readonly instructions: string;
  /** In the author's order; at least two. */
  readonly options: readonly Option[];
  /** The question as System One JSON; criteria as ordered pairs where order matters. */
  readonly wire: WireQuestion;
  /** Turns a distribution over `options` (same order and length, sums to 1) into the typed answer. */
  toAnswer(probabilities: readonly number[]): AnswerValue<A>;
}

/** A question under the caller's name for it. */
export interface NamedQuestion {
  /** The caller's key; never shown to a model unless its own template asks for it. */
  readonly id: string;
  readonly question: Question;
}

/** A question as the System One wire has it, except that a choice's criteria are pairs, since object keys may lose their order. */
export type WireQuestion =
  | {
      readonly type: "choice";
      readonly instructions: string;
      readonly criteria: readonly (readonly [string, string | null])[];
    }
  | {
      readonly type: "noul";
      readonly instructions: string;
      readonly criteria?: { readonly true?: string; readonly false?: string };
    }
  | { readonly type: "score"; readonly instructions: string; readonly criteria: readonly string[] };

/** One option of an answer, in the author's order. */
export interface OptionProbability<K extends string = string> {
  readonly option: K;
  /** 0 to 1; all options of a question sum to 1. */
  readonly probability: number;
}

/** What every answer carries, whatever its type. */
export interface AnswerBase<K extends string = string> {
  /** Probability of each option, 0 to 1, summing to 1. Object keys that look like integers come first: use `distribution` for the order. */
  readonly probabilities: Readonly<Record<K, number>>;
  /** The same in the author's order. */
  readonly distribution: readonly OptionProbability<K>[];
  /** 0 to 1 by the formula named in `confidenceFormula`. */
  readonly confidence: number;
  readonly confidenceFormula: ConfidenceFormula;
  /** What the policy says to do; absent without a policy. */
  readonly action?: Action;
  /** Share of the vocabulary's probability that fell on the declared options, 0 to 1; absent when the engine cannot know it. */
  readonly labelMass?: number;
}

export interface ChoiceAnswer<K extends string = string> extends AnswerBase<K> {
  readonly type: "choice";
  /** The most probable option. */
  readonly choice: K;
}

export interface NoulAnswer extends AnswerBase<"true" | "false"> {
  readonly type: "noul";
  /** Probability of yes, 0 to 1. */
  readonly noul: number;
  /** Whether yes is at least as probable as no. */
  readonly value: boolean;
}

export interface ScoreAnswer extends AnswerBase<string> {
  readonly type: "score";
  /** Expected level: the sum of level times probability, 0 to levels - 1. */
  readonly score: number;
  /** The most probable level, 0 to levels - 1. */
  readonly level: number;
  /** The text of each level, by its number. */
  readonly legend: Readonly<Record<string, string>>;
}

export type Answer = ChoiceAnswer | NoulAnswer | ScoreAnswer;

/** The part of an answer that its question's type decides; `decide` adds confidence, action and label mass. */
export type AnswerValue<A extends Answer> = A extends Answer
  ? Omit<A, "confidence" | "confidenceFormula" | "action" | "labelMass">
  : never;

/** See `trust/confidence.ts` for the formulas. */
export type ConfidenceFormula = "scaled-max" | "margin" | "one-minus-entropy";

export type Action = "accept" | "review" | "escalate";
