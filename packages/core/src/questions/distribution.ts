import { OptioError } from "../errors.js";
import type { Option, OptionProbability } from "./question.js";

/** How far the probabilities of a question may be from summing to 1. */
const sumTolerance = 1e-6;

/** A checked distribution over the options of a question, in the two forms that every answer has. */
export interface Distribution<K extends string> {
  readonly probabilities: Readonly<Record<K, number>>;
  readonly distribution: readonly OptionProbability<K>[];
}

/**
 * Pairs options with their probabilities.
 *
 * @throws OptioError `invalid_distribution` when there are not as many as options, one is not from 0 to 1, or they do
 *   not sum to 1.
 */
export function toDistribution<K extends string>(
  options: readonly (Option & { readonly key: K })[],
  probabilities: readonly number[],
): Distribution<K> {
  if (probabilities.length !== options.length) {
    throw new OptioError(
      "invalid_distribution",
      `There are ${probabilities.length} probabilities for ${options.length} options.`,
    );
  }
  let sum = 0;
  const distribution = options.map(({ key }, index) => {
    const probability = probabilities[index] ?? Number.NaN;
    if (!(probability >= 0 && probability <= 1)) {
      throw new OptioError("invalid_distribution", `The probability of "${key}" is ${probability}, not from 0 to 1.`);
    }
    sum += probability;
    return { option: key, probability };
  });
  if (Math.abs(sum - 1) > sumTolerance) {
    throw new OptioError("invalid_distribution", `The probabilities sum to ${sum}, not 1.`);
  }
  const entries = distribution.map(({ option, probability }) => [option, probability] as const);
  return { probabilities: Object.fromEntries(entries) as Record<K, number>, distribution };
}

/** The most probable option; the first of equals. */
export function mostProbable<K extends string>(distribution: readonly OptionProbability<K>[]): K {
  return distribution.reduce((best, each) => (each.probability > best.probability ? each : best)).option;
}
