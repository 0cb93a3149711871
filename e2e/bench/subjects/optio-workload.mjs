import { choice, createDecider, noul, score } from "@optio/core";
import { questionsOf, states } from "../workload.mjs";

/** The workload through optio's own call, the same in a browser, in Node and against the native program. */

// Letters in the author's order, one pass: what a peer does too. Other readouts cost more passes.
/** @type {Partial<import("@optio/core").Readout>} */
const readout = { kind: "letter", orders: 1, prior: false };

/** @param {import("@optio/core").EngineSource} engine */
export async function startOptio(engine) {
  const decider = createDecider({ engine });
  const began = performance.now();
  const info = await decider.ready();
  const loadMs = performance.now() - began;
  const decide = (
    /** @type {import("../measures.mjs").StateSize} */ size,
    /** @type {ReturnType<typeof build>} */ questions,
    reuse = false,
  ) => decider.decide({ state: states[size], questions, readout, reuse });

  const [first = "", second = ""] = Object.keys(questionsOf(2));
  const both = build(questionsOf(2));
  /** @type {Promise<number> | undefined} */
  let questionTokens;
  /** Tokens of two questions: together they read the state once, apart they read it twice. */
  const measureQuestionTokens = async () => {
    const evaluated = async (/** @type {string[]} */ ...ids) => {
      const chosen = Object.fromEntries(Object.entries(both).filter(([id]) => ids.includes(id)));
      return (await decide(100, chosen)).usage.evaluatedTokens;
    };
    const together = await evaluated(first, second);
    const prefix = (await evaluated(first)) + (await evaluated(second)) - together;
    return together - prefix;
  };

  return {
    loadMs,
    info,
    /**
     * @param {import("../measures.mjs").Work} work
     * @returns {Promise<import("../turns.mjs").Sample>}
     */
    async measure(work) {
      if (work.kind === "prefill") {
        questionTokens ??= measureQuestionTokens();
        const own = await questionTokens;
        // Two questions: with a single one, it would belong to the part that is read first.
        const { timings, usage } = await decide(work.size, both);
        return { value: timings.prefillMs, tokens: usage.evaluatedTokens - own };
      }
      if (work.kind === "cached") {
        await decide(work.size, build({ [first]: /** @type {any} */ (questionsOf(1)[first]) }), true);
        const asked = build({ [second]: /** @type {any} */ (questionsOf(2)[second]) });
        const began = performance.now();
        const { usage } = await decide(work.size, asked, true);
        return { value: performance.now() - began, tokens: usage.evaluatedTokens };
      }
      const asked = build(questionsOf(work.questions));
      const began = performance.now();
      const { usage } = await decide(work.size, asked);
      return { value: performance.now() - began, tokens: usage.evaluatedTokens };
    },
    close: () => decider.close(),
  };
}

/** @param {Record<string, import("../workload.mjs").WorkQuestion>} questions */
function build(questions) {
  return Object.fromEntries(
    Object.entries(questions).map(([id, question]) => {
      if (question.type === "choice") return [id, choice(question.instructions, question.options)];
      if (question.type === "noul") return [id, noul(question.instructions, question.criteria)];
      return [id, score(question.instructions, question.levels)];
    }),
  );
}
