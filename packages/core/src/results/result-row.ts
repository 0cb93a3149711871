import type { Decision } from "../decide.js";
import type { OptioError } from "../errors.js";
import type { Action, Answer } from "../questions/question.js";
import { actionFor, type Policy } from "../trust/policy.js";

/** One row of many, decided: what is kept of it, shown and exported. Plain JSON. */
export interface ResultRow {
  /** Place in the input, from 1. */
  readonly row: number;
  readonly text: string;
  /** By question id, in the order of the questions; empty where the row failed. */
  readonly answers: readonly RowAnswer[];
  /** Known outcomes by question id, where the input had them. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly error?: { readonly code: string; readonly message: string };
  readonly receipt?: RowReceipt;
}

export interface RowAnswer {
  readonly id: string;
  /** The most probable option; `true` or `false` of a yes/no question; the level nearest to a score. */
  readonly option: string;
  /** Of that option, 0 to 1. */
  readonly probability: number;
  /** 0 to 1 by the receipt's formula. */
  readonly confidence: number;
}

/** What makes a row repeatable, in few words. */
export interface RowReceipt {
  readonly model: string;
  readonly sha256: string | null;
  readonly readout: string;
  readonly formula: string;
}

/** A decided row. */
export function resultRow(row: number, text: string, decision: Decision): ResultRow {
  const answers = decision.answers as Readonly<Record<string, Answer>>;
  const { model, readout, confidenceFormula } = decision.receipt;
  return {
    row,
    text,
    answers: Object.entries(answers).map(([id, answer]) => rowAnswer(id, answer)),
    receipt: {
      model: model.id,
      sha256: model.sha256,
      readout:
        readout === null ? "engine" : `${readout.kind}, orders ${readout.orders}${readout.prior ? ", prior" : ""}`,
      formula: confidenceFormula,
    },
  };
}

/** A row that could not be decided. */
export function failedRow(row: number, text: string, { code, message }: OptioError): ResultRow {
  return { row, text, answers: [], error: { code, message } };
}

/** The lane of a row: that of its least sure answer. `failed` where there is none. */
export function laneOf({ answers, error }: ResultRow, policy: Policy): Action | "failed" {
  if (error !== undefined || answers.length === 0) return "failed";
  return actionFor(Math.min(...answers.map(({ confidence }) => confidence)), policy);
}

function rowAnswer(id: string, answer: Answer): RowAnswer {
  const option = answeredOption(answer);
  const probability = answer.distribution.find((each) => each.option === option)?.probability ?? 0;
  return { id, option, probability, confidence: answer.confidence };
}

/** The option that an answer comes down to: of a score, the nearest level. */
export function answeredOption(answer: Answer): string {
  switch (answer.type) {
    case "choice":
      return answer.choice;
    case "noul":
      return String(answer.value);
    case "score":
      return String(Math.round(answer.score));
  }
}
