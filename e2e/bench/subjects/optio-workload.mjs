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
    /** Tokens of the shared prefix: two questions together read it once, apart they read it twice. */
    async prefixTokens() {
      const evaluated = async (/** @type {string[]} */ ...ids) => {
        const chosen = Object.fromEntries(Object.entries(built).filter(([id]) => ids.includes(id)));
        return (await decider.decide({ state, questions: chosen, readout, reuse: false })).usage.evaluatedTokens;
      };
      return (await evaluated("mood")) + (await evaluated("urgency")) - (await evaluated("mood", "urgency"));
    },
    close: () => decider.close(),
  };
}
