import type { ScorePlan } from "../scorer/scorer.js";

/** Tokens of one state's prompts: evaluated for it, or there already. */
export interface TokenShare {
  readonly evaluated: number;
  readonly reused: number;
}

/**
 * Splits the tokens of a plan between the states in it. What several need counts as evaluated for the first and as reused for
 * the others, so that the evaluated tokens of all add up to what went through the model.
 *
 * @param nodesOf for each state, the nodes of the plan that its prompts go through
 * @param cachedTokens tokens of the root that an earlier call had left
 */
export function tokenShares(
  { nodes }: ScorePlan,
  nodesOf: readonly Iterable<number>[],
  cachedTokens: number,
): readonly TokenShare[] {
  const paid = new Set<number>();
  return nodesOf.map((own) => {
    let evaluated = 0;
    let reused = 0;
    for (const index of new Set(own)) {
      const length = nodes[index]?.tokens.length ?? 0;
      const there = paid.has(index) ? length : index === 0 ? cachedTokens : 0;
      paid.add(index);
      evaluated += length - there;
      reused += there;
    }
    return { evaluated, reused };
  });
}
