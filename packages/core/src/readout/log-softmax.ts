/** Natural log of the sum of exp(value), without overflow. -Infinity for no values. */
export function logSumExp(values: readonly number[]): number {
  const highest = Math.max(...values);
  if (!Number.isFinite(highest)) return highest;
  return highest + Math.log(values.reduce((sum, value) => sum + Math.exp(value - highest), 0));
}

/** Log-probabilities of a distribution in proportion to exp(value): the values less their log-sum-exp. */
export function logSoftmax(values: readonly number[]): number[] {
  const total = logSumExp(values);
  return values.map((value) => value - total);
}

/** Probabilities of log-probabilities, summing to 1 to the last few bits. */
export function toProbabilities(logProbabilities: readonly number[]): number[] {
  return logSoftmax(logProbabilities).map((value) => Math.min(1, Math.exp(value)));
}
