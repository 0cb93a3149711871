import { median } from "./statistics.mjs";

/**
 * Processors that others used, usually.
 *
 * @param {Pick<import("./report.mjs").Report, "turns">} report
 */
export function othersMedian({ turns }) {
  return turns.length === 0 ? 0 : median(momentsOf(turns));
}

/** @param {import("./report.mjs").Report["turns"]} turns */
function momentsOf(turns) {
  return turns.flatMap(({ othersBefore, othersAfter }) => [othersBefore, othersAfter]);
}

/**
 * What others took of the processors, asked before and after each turn.
 *
 * @param {Pick<import("./report.mjs").Report, "turns" | "machine">} report
 */
export function otherWork({ turns, machine }) {
  if (turns.length === 0) return "an unknown part of the processors";
  const moments = momentsOf(turns);
  const usual = othersMedian({ turns }).toFixed(1);
  const most = Math.max(...moments).toFixed(1);
  return `${usual} of ${machine.processors} processors between turns (median of ${moments.length} moments; at most ${most})`;
}
