import { OptioError } from "../errors.js";
import { logSoftmax } from "../readout/log-softmax.js";

/**
 * Removes what the model prefers before it has seen the state: log p(option | state) - log p(option | empty state),
 * normalised. This is contextual calibration (Zhao et al., 2021) with log-probabilities.
 *
 * @param logProbabilities of the options for the state
 * @param prior of the same options in the same order, for the empty state
 * @throws OptioError `invalid_distribution` when the prior of an option is 0, by which nothing can be divided
 */
export function correctPrior(logProbabilities: readonly number[], prior: readonly number[]): readonly number[] {
  const corrected = logProbabilities.map((value, option) => {
    const own = prior[option] ?? Number.NaN;
    if (!Number.isFinite(own)) {
      throw new OptioError(
        "invalid_distribution",
        `The prior probability of option ${option + 1} is ${Math.exp(own)}.`,
        {
          hint: "Use a readout without prior correction for this question.",
        },
      );
    }
    return value - own;
  });
  return logSoftmax(corrected);
}
