import type { Readout } from "../engines/engine.js";

/**
 * Label mass, 0 to 1, below which the model is likely to have meant something else than any option. Letters take nearly all of
 * the probability when they are understood; whole texts share it with every other wording, so that a small share says little.
 */
export const lowLabelMass: Readonly<Record<Readout["kind"], number>> = { letter: 0.1, sequence: 1e-6 };
