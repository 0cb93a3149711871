import { OptioError } from "../errors.js";

/** @throws OptioError `invalid_distribution` unless there is one item an option. */
export function checkCount(count: number, optionCount: number, what: string): void {
  if (count === optionCount) return;
  throw new OptioError("invalid_distribution", `There are ${count} ${what} for ${optionCount} options.`, {
    details: { count, optionCount },
  });
}

/** @throws OptioError `non_finite_scores` */
export function checkFinite(value: number, what: string): void {
  if (Number.isFinite(value)) return;
  throw new OptioError("non_finite_scores", `${what} is ${value}.`);
}

/**
 * Refuses scores that are all exactly the same: what a broken back end returns, and a working model does not.
 *
 * @throws OptioError `degenerate_scores`
 */
export function checkDistinct(scores: readonly number[]): void {
  const [first] = scores;
  if (first === undefined || scores.length < 2 || scores.some((score) => score !== first)) return;
  throw new OptioError("degenerate_scores", `All ${scores.length} options have the score ${first}.`);
}
