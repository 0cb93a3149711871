import type { Json, OptioError, Question } from "@optio/core";

/** One labelled row of an evaluation. */
export interface Task {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly id: string;
  readonly family: string;
  readonly state: Json;
  readonly question: Question;
  /** The right option by its key in `question.options`. */
  readonly expected: string;
  /** What the data calls an option, where that differs from its key. */
  readonly labelOf?: (option: string) => string;
}

/** A row that cannot be asked. */
export interface BadRow {
  readonly line: number;
  readonly id?: string;
  readonly error: OptioError;
}

export type Row = Task | BadRow;

export function isBadRow(row: Row): row is BadRow {
  return "error" in row;
}

/** Family of rows that name none. */
export const defaultFamily = "all";
