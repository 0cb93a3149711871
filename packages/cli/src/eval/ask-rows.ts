import { isInterruption } from "../interrupt.js";
import { formatDuration } from "../output/duration.js";
import type { Step } from "../output/progress-line.js";
import { sharePercent } from "../output/whole-percent.js";
import type { CommandHost } from "../program.js";
import type { Session } from "../session.js";
import type { ResultsFile } from "./results-file.js";
import { isAnswered, type RowResult } from "./row-result.js";
import { runRow } from "./run-row.js";
import type { Row } from "./task.js";

export interface Run {
  /** In the data's order. */
  readonly results: readonly RowResult[];
  /** Rows that were to be asked. */
  readonly total: number;
  /** Rows taken from an earlier run. */
  readonly resumed: number;
  readonly interrupted: boolean;
}

export interface AskOptions {
  readonly host: CommandHost;
  readonly session: Session;
  /** Where each row goes as soon as it is done, and where finished ones come from. */
  readonly out: ResultsFile | undefined;
  readonly reuse: boolean;
  readonly timeoutMs: number | undefined;
}

/** Asks row by row; an interruption keeps what is done. */
export async function askRows(rows: readonly Row[], options: AskOptions): Promise<Run> {
  const { host, session, out, reuse, timeoutMs } = options;
  const { signal, context } = host;
  const results: RowResult[] = [];
  const begun = context.now();
  let resumed = 0;
  const runSoFar = (interrupted: boolean): Run => ({ results, total: rows.length, resumed, interrupted });
  try {
    for (const row of rows) {
      const before = out?.finished.get(row.line);
      if (before !== undefined && isAnswered(before)) {
        results.push(before);
        resumed++;
        continue;
      }
      signal.throwIfAborted();
      const result = await runRow(row, session, { signal, reuse, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
      await out?.append(result);
      results.push(result);
      session.progress.show(progressOf(results, rows.length, (context.now() - begun) / (results.length - resumed)));
    }
    return runSoFar(false);
  } catch (error) {
    if (!isInterruption(error, signal)) throw error;
    return runSoFar(true);
  } finally {
    session.progress.clear();
  }
}

function progressOf(results: readonly RowResult[], total: number, msPerRow: number): Step {
  const done = results.length;
  const right = results.filter((row) => isAnswered(row) && row.correct).length;
  const time = `${formatDuration(msPerRow)} a row, ${formatDuration((total - done) * msPerRow)} left`;
  return {
    phase: "rows",
    share: done / total,
    text: `${done} of ${total} rows, ${sharePercent(right / done)} right, ${time}`,
  };
}
