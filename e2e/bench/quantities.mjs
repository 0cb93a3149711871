/**
 * A quantity as a person reads it, three digits of it.
 *
 * @param {number} value
 * @param {"ms" | "bytes"} unit
 */
export function quantity(value, unit) {
  if (unit === "bytes") return value >= 1e9 ? `${(value / 1e9).toPrecision(3)} GB` : `${digits(value / 1e6)} MB`;
  return value >= 999.5 ? `${digits(value / 1000)} s` : `${digits(value)} ms`;
}

/**
 * The median, and the range where there is one.
 *
 * @param {import("./statistics.mjs").Summary} summary
 * @param {"ms" | "bytes"} unit
 */
export function quantityWithRange({ median, least, most, samples }, unit) {
  if (samples === 1) return `${quantity(median, unit)} (once)`;
  return `${quantity(median, unit)} (${quantity(least, unit)} to ${quantity(most, unit)})`;
}

/** @param {number} value */
export function digits(value) {
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(value < 0.995 ? 2 : 3);
}
