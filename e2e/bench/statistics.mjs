/** @param {readonly number[]} values at least one */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/**
 * @typedef {{ median: number, least: number, most: number, samples: number }} Summary
 */

/**
 * Median and range: with a handful of samples anything finer would only look precise.
 *
 * @param {readonly number[]} values
 * @returns {Summary | undefined}
 */
export function summarize(values) {
  if (values.length === 0) return undefined;
  return { median: median(values), least: Math.min(...values), most: Math.max(...values), samples: values.length };
}
