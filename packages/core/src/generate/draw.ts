import type { Sampling } from "../engines/engine.js";

/** Tokens with their logits. */
export interface Candidate {
  readonly id: number;
  readonly logit: number;
}

export interface Weighted {
  readonly id: number;
  /** 0 to 1; all sum to 1. */
  readonly probability: number;
}

/**
 * What is left to draw from: the candidates with bias and temperature, without those that top-k, top-p and min-p cut off, most
 * probable first.
 *
 * @param bias by token id
 */
export function weigh(
  candidates: readonly Candidate[],
  { temperature, topK, topP, minP }: Omit<Sampling, "seed" | "bias">,
  bias: ReadonlyMap<number, number>,
): readonly Weighted[] {
  const scored = candidates
    .map(({ id, logit }) => ({ id, logit: logit + (bias.get(id) ?? 0) }))
    .sort((a, b) => b.logit - a.logit || a.id - b.id);
  const [best] = scored;
  if (best === undefined) return [];
  if (temperature === 0) return [{ id: best.id, probability: 1 }];
  const weighted = normalized(
    scored.map(({ id, logit }) => ({ id, probability: Math.exp((logit - best.logit) / temperature) })),
  );
  const most = weighted[0]?.probability ?? 0;
  const kept: Weighted[] = [];
  let sum = 0;
  for (const each of topK === 0 ? weighted : weighted.slice(0, topK)) {
    if (kept.length > 0 && (sum >= topP || each.probability < most * minP)) break;
    kept.push(each);
    sum += each.probability;
  }
  return normalized(kept);
}

/** @param at a number from 0 to 1, 1 not included */
export function draw(weighted: readonly Weighted[], at: number): number | undefined {
  let sum = 0;
  for (const { id, probability } of weighted) {
    sum += probability;
    if (at < sum) return id;
  }
  return weighted.at(-1)?.id;
}

function normalized(weighted: readonly Weighted[]): readonly Weighted[] {
  const sum = weighted.reduce((total, { probability }) => total + probability, 0);
  return weighted.map(({ id, probability }) => ({ id, probability: probability / sum }));
}

/** Numbers from 0 to 1 that a seed decides: mulberry32 by Tommy Ettinger, in the public domain. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
