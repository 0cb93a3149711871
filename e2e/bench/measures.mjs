/**
 * What a subject is asked to do for one sample.
 *
 * @typedef {{ kind: "prefill", size: StateSize }
 *   | { kind: "decision", size: StateSize, questions: number }
 *   | { kind: "cached", size: StateSize }} Work
 *
 * @typedef {100 | 500 | 2000} StateSize tokens of the prompt up to the question, about
 *
 * @typedef {object} Measure
 * @property {string} id
 * @property {import("./selection.mjs").Tier} tier
 * @property {string} title
 * @property {string} about how it is measured
 * @property {"ms" | "bytes"} unit
 * @property {Work} [work] absent: it is read from a subject that was started, or from files
 * @property {number} [tokens] what the work evaluates, about; for estimates
 */

/** In the order in which a turn takes them: what is dear comes last, because a sample over its limit ends the turn. */
/** @type {readonly Measure[]} */
export const measures = [
  {
    id: "load",
    tier: "quick",
    title: "Loading",
    about:
      "From the stored file to the first call that can be made: compiling, reading the weights, preparing the prompt.",
    unit: "ms",
  },
  {
    id: "first",
    tier: "quick",
    title: "The first decision after loading",
    about: "One question over about 500 tokens, while the code is still cold.",
    unit: "ms",
    work: { kind: "decision", size: 500, questions: 1 },
    tokens: 560,
  },
  {
    id: "cached",
    tier: "quick",
    title: "Another question over the same state",
    about: "One question over about 500 tokens that the call before has read already.",
    unit: "ms",
    work: { kind: "cached", size: 500 },
    tokens: 60,
  },
  {
    id: "prefill-100",
    tier: "full",
    title: "Reading about 100 tokens",
    about: "The time that the engine itself reports for the prompt up to the question.",
    unit: "ms",
    work: { kind: "prefill", size: 100 },
    tokens: 100,
  },
  {
    id: "prefill-500",
    tier: "quick",
    title: "Reading about 500 tokens",
    about: "The time that the engine itself reports for the prompt up to the question.",
    unit: "ms",
    work: { kind: "prefill", size: 500 },
    tokens: 500,
  },
  {
    id: "decision-1",
    tier: "quick",
    title: "A decision of one question",
    about: "Over about 500 tokens, nothing kept of earlier calls, from the call to the answer.",
    unit: "ms",
    work: { kind: "decision", size: 500, questions: 1 },
    tokens: 560,
  },
  {
    id: "decision-8",
    tier: "quick",
    title: "A decision of eight questions",
    about:
      "Over about 500 tokens, nothing kept of earlier calls; a subject without batches asks them one after another.",
    unit: "ms",
    work: { kind: "decision", size: 500, questions: 8 },
    tokens: 980,
  },
  {
    id: "prefill-2000",
    tier: "full",
    title: "Reading about 2,000 tokens",
    about: "The time that the engine itself reports for the prompt up to the question.",
    unit: "ms",
    work: { kind: "prefill", size: 2000 },
    tokens: 2000,
  },
  {
    id: "decision-32",
    tier: "full",
    title: "A decision of 32 questions",
    about:
      "Over about 500 tokens, nothing kept of earlier calls; a subject without batches asks them one after another.",
    unit: "ms",
    work: { kind: "decision", size: 500, questions: 32 },
    tokens: 2500,
  },
  {
    id: "memory",
    tier: "quick",
    title: "Peak memory",
    about:
      "The largest resident set that the process with the model had, from its start through all samples of a turn. Pages of a file that is mapped count, and so do the heap and the code of a browser's page or of Node.",
    unit: "bytes",
  },
  {
    id: "size",
    tier: "quick",
    title: "Size of the module",
    about: "The WebAssembly file alone, and as brotli sends it.",
    unit: "bytes",
  },
];
