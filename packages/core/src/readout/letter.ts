import { OptioError } from "../errors.js";
import { checkCount, checkDistinct, checkFinite } from "./check-scores.js";
import { logSoftmax, logSumExp } from "./log-softmax.js";
import type { LetterReading, OptionScores } from "./reading.js";

/** By how much the label mass may exceed 1: the logits and their log-sum-exp are 32-bit numbers. */
const massTolerance = 1e-3;

/**
 * Scores of options that were read by one label token each.
 *
 * @throws OptioError `invalid_distribution`, `non_finite_scores`, `degenerate_scores`
 */
export function readLetters({ logits, logSumExp: vocabulary }: LetterReading, optionCount: number): OptionScores {
  checkCount(logits.length, optionCount, "logits");
  for (const [index, logit] of logits.entries()) checkFinite(logit, `The logit of option ${index + 1}`);
  checkFinite(vocabulary, "The log-sum-exp of the vocabulary");
  checkDistinct(logits);

  const mass = Math.exp(logSumExp(logits) - vocabulary);
  if (mass > 1 + massTolerance) {
    throw new OptioError(
      "invalid_distribution",
      `The labels have ${mass} of the vocabulary's probability, which is more than all of it.`,
      { details: { mass } },
    );
  }
  return { logProbabilities: logSoftmax(logits), labelMass: Math.min(1, mass) };
}
