import { OptioError } from "../errors.js";
import { checkCount, checkFinite } from "./check-scores.js";
import { logSoftmax } from "./log-softmax.js";
import type { OptionScores, ProbabilityReading } from "./reading.js";

/** How far from 1 the sum may be: hosted System One servers round to two decimals. */
const sumTolerance = 0.02;

/** A sum this close to 1 is exact as far as a caller can tell. */
const exactTolerance = 1e-6;

/**
 * Scores from an engine that returns probabilities. They are brought to a sum of 1, which is reported as
 * `rescaledFrom` where it changed more than 1e-6.
 *
 * Equal probabilities are not refused: rounding makes them of different ones.
 *
 * @throws OptioError `invalid_distribution`, `non_finite_scores`
 */
export function readProbabilities({ probabilities, labelMass }: ProbabilityReading, optionCount: number): OptionScores {
  checkCount(probabilities.length, optionCount, "probabilities");
  const sum = probabilities.reduce((total, probability, index) => {
    const what = `The probability of option ${index + 1}`;
    checkFinite(probability, what);
    if (probability < 0 || probability > 1) {
      throw new OptioError("invalid_distribution", `${what} is ${probability}, not from 0 to 1.`);
    }
    return total + probability;
  }, 0);
  const error = Math.abs(sum - 1);
  // The second term absorbs the rounding of the sum itself, so that 0.98 is taken.
  if (error > sumTolerance + Number.EPSILON * probabilities.length) {
    throw new OptioError("invalid_distribution", `The probabilities sum to ${sum}, not 1.`, { details: { sum } });
  }
  const logProbabilities = logSoftmax(probabilities.map(Math.log));
  return {
    logProbabilities,
    ...(error > exactTolerance ? { rescaledFrom: sum } : {}),
    ...(labelMass === undefined ? {} : { labelMass: checkedMass(labelMass) }),
  };
}

function checkedMass(labelMass: number): number {
  checkFinite(labelMass, "The label mass");
  if (labelMass < 0 || labelMass > 1 + exactTolerance) {
    throw new OptioError("invalid_distribution", `The label mass is ${labelMass}, not from 0 to 1.`);
  }
  return Math.min(labelMass, 1);
}
