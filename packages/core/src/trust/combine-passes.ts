import type { Pass, RawAnswer, Readout } from "../engines/engine.js";
import { OptioError } from "../errors.js";
import { logSumExp, toProbabilities } from "../readout/log-softmax.js";
import { readPass } from "../readout/read-pass.js";
import type { OptionScores } from "../readout/reading.js";
import { averageOrders } from "./order.js";
import { correctPrior } from "./prior.js";

/** The final numbers of one question. */
export interface CombinedAnswer {
  /** By option in the author's order, summing to 1. */
  readonly probabilities: readonly number[];
  /** Natural logs of the same; -Infinity for 0. */
  readonly logProbabilities: readonly number[];
  /** The lowest label mass of the passes over the actual state, 0 to 1; absent when an engine cannot know it. */
  readonly labelMass?: number;
  /** Whether the orders disagree about the most probable option. */
  readonly flipped: boolean;
  /** The sum furthest from 1 that an engine's probabilities were rescaled from; absent when all were exact within 1e-6. */
  readonly rescaledFrom?: number;
}

/** What an engine that reads in a way of its own gives: one pass a question. */
const ownReadout = { orders: 1, prior: false, length: "total" } as const;

/**
 * Makes one distribution of the passes over a question: each order is read, corrected by the prior of the same order
 * where the readout says so, and the orders are averaged.
 *
 * @throws OptioError `invalid_distribution` when passes are missing, surplus or about other options, and by the codes of
 *   `readPass`
 */
export function combinePasses(answer: RawAnswer, readout: Readout | undefined, optionCount: number): CombinedAnswer {
  const { orders: orderCount, prior, length } = readout ?? ownReadout;
  const actual = answer.passes.filter(({ state }) => state === "actual");
  const empty = answer.passes.filter(({ state }) => state === "empty");
  checkPasses(actual, orderCount, optionCount, "the state");
  checkPasses(empty, prior ? orderCount : 0, optionCount, "the empty state");

  const read = actual.map((pass) => readPass(pass, length));
  const priors = empty.map((pass) => readPass(pass, length));
  const orders = read.map(({ logProbabilities }, index) =>
    prior ? correctPrior(logProbabilities, priorOf(actual[index], empty, priors)) : logProbabilities,
  );
  const { logProbabilities, flipped } = averageOrders(orders);
  if (!Number.isFinite(logSumExp(logProbabilities))) {
    throw new OptioError("invalid_distribution", "Every option has the probability 0 in one of the orders.");
  }

  const masses = read.flatMap(({ labelMass }) => labelMass ?? []);
  const sums = [...read, ...priors].flatMap(({ rescaledFrom }) => rescaledFrom ?? []);
  return {
    probabilities: toProbabilities(logProbabilities),
    logProbabilities,
    flipped,
    ...(masses.length === 0 ? {} : { labelMass: Math.min(...masses) }),
    ...(sums.length === 0 ? {} : { rescaledFrom: sums.reduce((a, b) => (Math.abs(b - 1) > Math.abs(a - 1) ? b : a)) }),
  };
}

function checkPasses(passes: readonly Pass[], expected: number, optionCount: number, about: string): void {
  if (passes.length !== expected) {
    const count = passes.length === 1 ? "1 pass" : `${passes.length} passes`;
    throw new OptioError("invalid_distribution", `The engine made ${count} over ${about} instead of ${expected}.`);
  }
  const seen = new Set<string>();
  for (const { order } of passes) {
    const places = [...order].sort((a, b) => a - b);
    if (places.length !== optionCount || places.some((option, place) => option !== place)) {
      throw new OptioError(
        "invalid_distribution",
        `The order ${order.join(", ")} does not name each of ${optionCount} options once.`,
      );
    }
    const name = order.join();
    if (seen.has(name)) throw new OptioError("invalid_distribution", `The engine used the order ${name} twice.`);
    seen.add(name);
  }
}

/** The prior that belongs to a pass: the one that showed the options in the same order. */
function priorOf(pass: Pass | undefined, empty: readonly Pass[], priors: readonly OptionScores[]): readonly number[] {
  const name = pass?.order.join();
  const prior = priors[empty.findIndex(({ order }) => order.join() === name)];
  if (prior === undefined) {
    throw new OptioError("invalid_distribution", `There is no pass over the empty state in the order ${name}.`);
  }
  return prior.logProbabilities;
}
