import type { Readout } from "../engines/engine.js";

const lowest: Readonly<Record<Readout["kind"], number>> = { letter: 0.1, sequence: 1e-6 };

/**
 * Whether so little of the probability fell on the options that the model is likely to have meant something else. Letters, which
 * other engines read as well, take nearly all of it when they are understood (low: under 0.1); whole texts share it with every
 * other wording, so that a small share says little (low: under 1e-6).
 *
 * @param labelMass 0 to 1; `undefined` where it is not known, which is not low
 * @param readout of the receipt
 */
export function isLowLabelMass(labelMass: number | undefined, readout: Readout | null | undefined): boolean {
  return labelMass !== undefined && labelMass < lowest[readout?.kind ?? "letter"];
}
