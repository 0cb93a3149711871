import { OptioError } from "../errors.js";
import type { Scorer } from "../scorer/scorer.js";
import type { PromptFrame } from "./prompt-frame.js";

export interface Label {
  readonly text: string;
  readonly token: number;
}

const upper = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index));
const lower = upper.map((letter) => letter.toLowerCase());
/** A to Z, a to z, then AA to ZZ: in this order labels are given out, as far as each is one token. */
const single = [...upper, ...lower];
const double = upper.flatMap((first) => upper.map((second) => first + second));

/** Labels for a model, found once and kept. */
export type LabelSource = (count: number, signal: AbortSignal) => Promise<readonly Label[]>;

/**
 * Finds labels that are one token where the answer begins: a letter may merge with what stands before it.
 *
 * The source throws OptioError `labels_unusable` when the vocabulary has fewer than two, `too_many_options` when it has
 * fewer than asked for.
 */
export function labelSource(scorer: Scorer, frame: PromptFrame): LabelSource {
  let found: readonly Label[] | undefined;
  let complete = false;
  return async (count, signal) => {
    if (found === undefined) found = await withLabels([], scorer, frame, single, signal);
    if (found.length < count && !complete) {
      found = await withLabels(found, scorer, frame, double, signal);
      complete = true;
    }
    if (found.length < 2) {
      throw new OptioError("labels_unusable", "No letter is a single token where this model's answer begins.");
    }
    if (found.length < count) {
      throw new OptioError(
        "too_many_options",
        `A question has ${count} options, and this model has ${found.length} labels.`,
        {
          details: { options: count, labels: found.length },
        },
      );
    }
    return found.slice(0, count);
  };
}

/** The labels known so far and those of the candidates that work. */
async function withLabels(
  known: readonly Label[],
  scorer: Scorer,
  frame: PromptFrame,
  candidates: readonly string[],
  signal: AbortSignal,
): Promise<readonly Label[]> {
  const inContext = candidates.map((label) => ({ text: frame.tailText + label, special: true }));
  const tokens = await scorer.tokenize(inContext, { signal });
  const taken = new Set(known.map(({ token }) => token));
  const added = candidates.flatMap((text, index) => {
    const ids = tokens[index];
    const token = ids?.at(-1);
    const untouched = ids?.length === frame.tail.length + 1 && frame.tail.every((id, at) => ids[at] === id);
    if (!untouched || token === undefined || taken.has(token)) return [];
    taken.add(token);
    return [{ text, token }];
  });
  return [...known, ...added];
}
