import type { Reading } from "../engines/engine.js";

/** What a readout makes of the raw numbers of one pass. */
export interface OptionScores {
  /** Natural logs of the options' probabilities, normalised over the options, in the author's order. */
  readonly logProbabilities: readonly number[];
  /** Share of the vocabulary's probability that fell on the options, 0 to 1; absent when it cannot be known. */
  readonly labelMass?: number;
  /** What the probabilities summed to before they were brought to 1; absent when they did within 1e-6. */
  readonly rescaledFrom?: number;
}

export type LetterReading = Extract<Reading, { readonly kind: "letter" }>;
export type SequenceReading = Extract<Reading, { readonly kind: "sequence" }>;
export type ProbabilityReading = Extract<Reading, { readonly kind: "probabilities" }>;
