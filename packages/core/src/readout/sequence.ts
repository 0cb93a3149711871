import type { Readout } from "../engines/engine.js";
import { OptioError } from "../errors.js";
import { checkCount, checkDistinct, checkFinite } from "./check-scores.js";
import { logSoftmax } from "./log-softmax.js";
import type { OptionScores, SequenceReading } from "./reading.js";

/** How far a log-probability may be above 0: logits and their log-sum-exp are 32-bit numbers. */
const logProbTolerance = 1e-3;

/**
 * Scores of options whose whole text was read token by token.
 *
 * `total` compares the probabilities of the texts, which favours short ones; `per-token` compares the means of their
 * tokens' log-probabilities.
 *
 * The label mass is the sum of the texts' probabilities whatever the length rule. A text that begins another is counted
 * in both, so that the sum is cut at 1.
 *
 * @throws OptioError `invalid_distribution`, `non_finite_scores`, `degenerate_scores`
 */
export function readSequences(
  { tokenLogProbs }: SequenceReading,
  optionCount: number,
  length: Readout["length"],
): OptionScores {
  checkCount(tokenLogProbs.length, optionCount, "lists of token log-probabilities");
  const totals = tokenLogProbs.map(totalOf);
  const scores =
    length === "total" ? totals : totals.map((total, index) => total / (tokenLogProbs[index]?.length ?? Number.NaN));
  checkDistinct(scores);
  const mass = totals.reduce((sum, total) => sum + Math.exp(total), 0);
  return { logProbabilities: logSoftmax(scores), labelMass: Math.min(1, mass) };
}

function totalOf(logProbs: readonly number[], option: number): number {
  if (logProbs.length === 0) throw new OptioError("invalid_distribution", `Option ${option + 1} has no tokens.`);
  return logProbs.reduce((total, logProb, token) => {
    const what = `The log-probability of token ${token + 1} of option ${option + 1}`;
    checkFinite(logProb, what);
    if (logProb > logProbTolerance) throw new OptioError("invalid_distribution", `${what} is ${logProb}, more than 0.`);
    return total + logProb;
  }, 0);
}
