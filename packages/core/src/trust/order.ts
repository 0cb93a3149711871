import { logSoftmax } from "../readout/log-softmax.js";

/** What several orders of the same options say together. */
export interface OrderAverage {
  /** Mean of the orders' log-probabilities, normalised. */
  readonly logProbabilities: readonly number[];
  /** Whether the most probable option depends on the order. */
  readonly flipped: boolean;
}

/**
 * Averages log-probabilities over orders, which cancels a preference for a place as far as it adds to the logits.
 *
 * The result is the geometric mean of the distributions, normalised.
 *
 * @param orders at least one; each normalised, by option in the author's order
 */
export function averageOrders(orders: readonly (readonly number[])[]): OrderAverage {
  const [first = []] = orders;
  const means = first.map(
    (_, option) => orders.reduce((sum, order) => sum + (order[option] ?? Number.NaN), 0) / orders.length,
  );
  const winners = new Set(orders.map(argMax));
  return { logProbabilities: logSoftmax(means), flipped: winners.size > 1 };
}

/** Index of the greatest value; the first of equals; 0 for none. */
export function argMax(values: readonly number[]): number {
  return values.reduce((best, value, index) => (value > (values[best] ?? Number.NaN) ? index : best), 0);
}
