import { type Answer, type Decision, OptioError } from "@optio/core";
import { isInterruption } from "../interrupt.js";
import { winningOption } from "../output/answer-words.js";
import { errorJson } from "../output/json.js";
import type { Session } from "../session.js";
import type { RowResult } from "./row-result.js";
import { isBadRow, type Row, type Task } from "./task.js";

export interface RunOptions {
  readonly signal: AbortSignal;
  readonly reuse: boolean;
  readonly timeoutMs?: number;
}

/** Name of the single question of a row; never shown to the model. */
const questionId = "decision";

/**
 * Asks one row. Whatever goes wrong is part of the result, except the interruption.
 *
 * @throws the signal's reason when it fires.
 */
export async function runRow(row: Row, session: Session, options: RunOptions): Promise<RowResult> {
  if (isBadRow(row)) {
    return { line: row.line, ...(row.id === undefined ? {} : { id: row.id }), error: errorJson(row.error) };
  }
  try {
    const decision = await session.decider.decide({
      state: row.state,
      questions: { [questionId]: row.question },
      reuse: options.reuse,
      signal: options.signal,
      ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    });
    const answer = decision.answers[questionId];
    if (answer === undefined)
      throw new OptioError("internal", "The decision has no answer to the question that was asked.");
    return answered(row, answer, decision);
  } catch (error) {
    if (isInterruption(error, options.signal)) throw error;
    const { line, id, family, expected } = row;
    return { line, id, family, expected: dataLabel(row, expected), error: errorJson(OptioError.from(error)) };
  }
}

function answered(task: Task, answer: Answer, { timings, usage, warnings }: Decision): RowResult {
  const option = winningOption(answer);
  return {
    line: task.line,
    id: task.id,
    family: task.family,
    type: answer.type,
    expected: dataLabel(task, task.expected),
    answer: dataLabel(task, option),
    correct: option === task.expected,
    distribution: answer.distribution.map((entry) => ({ ...entry, option: dataLabel(task, entry.option) })),
    confidence: answer.confidence,
    ...(answer.action === undefined ? {} : { action: answer.action }),
    ...(answer.labelMass === undefined ? {} : { labelMass: answer.labelMass }),
    ms: timings.totalMs,
    inputTokens: usage.inputTokens,
    reusedTokens: usage.reusedTokens,
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
  };
}

function dataLabel(task: Task, option: string): string {
  return task.labelOf === undefined ? option : task.labelOf(option);
}
