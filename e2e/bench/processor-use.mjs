import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * How many processors are in use over a moment. Asked between turns, when nothing of ours runs, it says what others take: the
 * system's load counts us too, and long after the fact.
 *
 * @param {number} [ms]
 */
export async function processorsInUse(ms = 400) {
  const before = cpus();
  await sleep(ms);
  return usedBetween(before, cpus());
}

/**
 * Waits until others use less than a quarter of a processor, or until the patience is over.
 *
 * @param {number} patienceMs
 * @param {() => Promise<number>} [inUse]
 * @param {() => number} [now]
 * @returns what they use at last
 */
export async function untilQuiet(patienceMs, inUse = processorsInUse, now = () => performance.now()) {
  const began = now();
  for (;;) {
    const used = await inUse();
    if (used < 0.25 || now() - began >= patienceMs) return used;
  }
}

/**
 * @param {readonly { times: Record<string, number> }[]} before
 * @param {readonly { times: Record<string, number> }[]} after
 */
export function usedBetween(before, after) {
  const used = after.map(({ times }, index) => {
    const earlier = before[index]?.times ?? {};
    const passed = Object.entries(times).map(([kind, ms]) => ({ kind, ms: ms - (earlier[kind] ?? 0) }));
    const all = passed.reduce((sum, { ms }) => sum + ms, 0);
    return all === 0 ? 0 : 1 - (passed.find(({ kind }) => kind === "idle")?.ms ?? 0) / all;
  });
  return Math.round(used.reduce((sum, share) => sum + share, 0) * 100) / 100;
}
