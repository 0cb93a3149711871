/**
 * From which size of a run on something is measured: a run of one tier measures what the tiers before it do as well.
 *
 * @typedef {"quick" | "default" | "full"} Tier
 */

/** @type {readonly Tier[]} */
const tiers = ["quick", "default", "full"];

/**
 * What a list of names asks for, or what belongs to a tier when there is none. The order is that of `all`.
 *
 * @template {{ id: string, tier: Tier }} T
 * @param {string} what for the message
 * @param {readonly T[]} all
 * @param {Tier} tier
 * @param {string | undefined} list names or parts of names, separated by commas
 * @returns {T[]} at least one
 */
export function pick(what, all, tier, list) {
  if (list === undefined) return all.filter((entry) => tiers.indexOf(entry.tier) <= tiers.indexOf(tier));
  const parts = list
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
  const chosen = new Set();
  for (const part of parts) {
    // A whole name means itself, although it may also be the beginning of another.
    const exact = all.filter(({ id }) => id === part);
    const found = exact.length > 0 ? exact : all.filter(({ id }) => id.includes(part));
    if (found.length === 0) {
      throw new Error(`--${what}: nothing is named ${part}; there are ${all.map(({ id }) => id).join(", ")}`);
    }
    for (const entry of found) chosen.add(entry);
  }
  if (chosen.size === 0) throw new Error(`--${what} is empty`);
  return all.filter((entry) => chosen.has(entry));
}
