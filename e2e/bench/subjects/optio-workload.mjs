import { choice, createDecider, noul, score } from "@optio/core";
import { questions, state } from "../workload.mjs";

/** The workload through optio's own call, the same in a browser, in Node and against the native program. */

const built = Object.fromEntries(
  Object.entries(questions).map(([id, question]) => {
    if (question.type === "choice") return [id, choice(question.instructions, question.options)];
    if (question.type === "noul") return [id, noul(question.instructions, question.criteria)];
    return [id, score(question.instructions, question.levels)];
  }),
);

// Letters in the author's order, one pass: what a peer does too. Other readouts cost more passes.
/** @type {Partial<import("@optio/core").Readout>} */
const readout = { kind: "letter", orders: 1, prior: false };

const first = Object.values(built)[0] ?? noul("Is it?");

/** @param {import("@optio/core").EngineSource} engine */
export async function startOptio(engine) {
  const decider = createDecider({ engine });
  const info = await decider.ready();
  return {
    info,
    /** Times of one decision with nothing kept of earlier ones. */
    async decide() {
      const began = performance.now();
      const { timings, usage } = await decider.decide({ state, questions: built, readout, reuse: false });
      return { prefillMs: timings.prefillMs, decisionMs: performance.now() - began, tokens: usage.evaluatedTokens };
    },
    /** Tokens of the shared prefix: a question asked twice costs its own tokens twice, and the prefix once. */
    async prefixTokens() {
      const once = await decider.decide({ state, questions: { a: first }, readout, reuse: false });
      const twice = await decider.decide({
        state,
        questions: { a: first, b: first },
        readout,
        reuse: false,
      });
      return 2 * once.usage.evaluatedTokens - twice.usage.evaluatedTokens;
    },
    close: () => decider.close(),
  };
}
