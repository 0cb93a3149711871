import type { Pass, Readout } from "../engines/engine.js";
import { readLetters } from "./letter.js";
import { readProbabilities } from "./probabilities.js";
import type { OptionScores } from "./reading.js";
import { readSequences } from "./sequence.js";

/**
 * The options' log-probabilities of one pass, whatever was read.
 *
 * @throws OptioError `invalid_distribution` when numbers are missing or impossible; `non_finite_scores`; `degenerate_scores`
 */
export function readPass({ order, reading }: Pass, length: Readout["length"]): OptionScores {
  const optionCount = order.length;
  switch (reading.kind) {
    case "letter":
      return readLetters(reading, optionCount);
    case "sequence":
      return readSequences(reading, optionCount, length);
    case "probabilities":
      return readProbabilities(reading, optionCount);
  }
}
