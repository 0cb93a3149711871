/**
 * A probability as a reader may take it: whole per cent, and never a certainty that no model has.
 *
 * @param probability 0 to 1.
 */
export function wholePercent(probability: number): string {
  const rounded = Math.round(probability * 100);
  if (rounded >= 100) return "> 99 %";
  if (rounded <= 0) return "< 1 %";
  return `${rounded} %`;
}

/** A measured share, which may well be 0 or 100 %, but is only called so when it is. */
export function sharePercent(share: number): string {
  if (share === 0 || share === 1) return `${share * 100} %`;
  return wholePercent(share);
}
