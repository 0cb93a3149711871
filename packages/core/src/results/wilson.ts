export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** 97.5th centile of the normal distribution. */
const z95 = 1.959963984540054;

/**
 * Wilson's score interval for a share, 95 % two-sided (Wilson 1927).
 *
 * @param right how many of `n` were right; `n` at least 1.
 */
export function wilsonInterval(right: number, n: number): Interval {
  const share = right / n;
  const z2 = z95 * z95;
  const centre = (share + z2 / (2 * n)) / (1 + z2 / n);
  const half = (z95 / (1 + z2 / n)) * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n * n));
  // At 0 and n the ends are exact; rounding must not move them.
  return { low: right === 0 ? 0 : Math.max(0, centre - half), high: right === n ? 1 : Math.min(1, centre + half) };
}
