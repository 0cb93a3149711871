import { OptioError } from "../errors.js";
import type { ConfidenceFormula } from "../questions/question.js";

/** The formula used unless the caller names another. */
export const defaultConfidenceFormula: ConfidenceFormula = "scaled-max";

/**
 * The named formulas, each from a distribution over n options (n at least 2, sum 1) to 0 (undecided) to 1 (certain):
 *
 * - `scaled-max`: (n * max p - 1) / (n - 1), at least 0 and at most 1. TypeSafe's documented formula for System One.
 * - `margin`: the highest probability less the second highest.
 * - `one-minus-entropy`: 1 - H(p) / ln n, where H is Shannon's entropy with natural logs.
 */
const formulas: Readonly<Record<ConfidenceFormula, (probabilities: readonly number[]) => number>> = {
  "scaled-max": (probabilities) => {
    const n = probabilities.length;
    return (n * Math.max(...probabilities) - 1) / (n - 1);
  },
  margin: (probabilities) => {
    const [first = 0, second = 0] = [...probabilities].sort((a, b) => b - a);
    return first - second;
  },
  "one-minus-entropy": (probabilities) => {
    const entropy = probabilities.reduce((sum, p) => (p === 0 ? sum : sum - p * Math.log(p)), 0);
    return 1 - entropy / Math.log(probabilities.length);
  },
};

/** The names of the formulas. */
export const confidenceFormulas = Object.keys(formulas) as readonly ConfidenceFormula[];

/**
 * How decided a distribution is, 0 to 1.
 *
 * @throws OptioError `invalid_setting` for an unknown formula
 */
export function confidenceOf(probabilities: readonly number[], formula: ConfidenceFormula): number {
  checkConfidenceFormula(formula);
  return Math.min(1, Math.max(0, formulas[formula](probabilities)));
}

/** @throws OptioError `invalid_setting` for an unknown formula */
export function checkConfidenceFormula(formula: ConfidenceFormula): void {
  if (!confidenceFormulas.includes(formula)) {
    throw new OptioError("invalid_setting", `There is no confidence formula "${formula}".`, {
      hint: `The formulas are ${confidenceFormulas.join(", ")}.`,
    });
  }
}
