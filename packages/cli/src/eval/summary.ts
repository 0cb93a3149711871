import { type Interval, wilsonInterval } from "@optio/core/results";
import { mean, median, quantile } from "./quantile.js";
import { type AnsweredRow, isAnswered, type RowResult } from "./row-result.js";

/** How often the answer was right. A row that failed in the engine counts as not right. */
export interface Accuracy {
  readonly n: number;
  readonly correct: number;
  /** 0 to 1; null when there are no rows. */
  readonly accuracy: number | null;
  /** Wilson's, 95 %; null when there are no rows. */
  readonly interval: Interval | null;
}

export interface FamilyAccuracy extends Accuracy {
  readonly family: string;
}

export interface Summary extends Accuracy {
  /** Rows that the engine could not answer; they count as not right. */
  readonly failed: number;
  /** Rows of the data that could not be asked; they do not count. */
  readonly unusable: number;
  /** In order of first appearance. */
  readonly families: readonly FamilyAccuracy[];
  /** Milliseconds over the answered rows; nearest rank. Fewer than 59 rows say little about p95. */
  readonly latency: {
    readonly n: number;
    readonly p50Ms: number;
    readonly p95Ms: number;
    readonly maxMs: number;
  } | null;
  readonly labelMassMedian: number | null;
  readonly meanConfidence: number | null;
}

/** The rows in figures, with the lines in the data's order. */
export function summarize(rows: readonly RowResult[]): Summary {
  const counted = rows.filter((row) => row.family !== undefined);
  const answered = rows.filter(isAnswered);
  const families = [...new Set(counted.map((row) => row.family ?? ""))];
  return {
    ...accuracyOf(counted),
    failed: counted.length - answered.length,
    unusable: rows.length - counted.length,
    families: families.map((family) => ({ family, ...accuracyOf(counted.filter((row) => row.family === family)) })),
    latency: latencyOf(answered),
    labelMassMedian: median(answered.flatMap(({ labelMass }) => (labelMass === undefined ? [] : [labelMass]))) ?? null,
    meanConfidence: mean(answered.map(({ confidence }) => confidence)) ?? null,
  };
}

function accuracyOf(rows: readonly RowResult[]): Accuracy {
  const n = rows.length;
  const correct = rows.filter((row) => isAnswered(row) && row.correct).length;
  if (n === 0) return { n, correct, accuracy: null, interval: null };
  return { n, correct, accuracy: correct / n, interval: wilsonInterval(correct, n) };
}

function latencyOf(rows: readonly AnsweredRow[]): Summary["latency"] {
  const times = rows.map(({ ms }) => ms);
  const p50Ms = quantile(times, 0.5);
  const p95Ms = quantile(times, 0.95);
  if (p50Ms === undefined || p95Ms === undefined) return null;
  return { n: times.length, p50Ms, p95Ms, maxMs: Math.max(...times) };
}
