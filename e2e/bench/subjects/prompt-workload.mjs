import { questionsOf } from "../workload.mjs";

/**
 * One pass over a prompt: up to the question, or with one.
 *
 * @typedef {(pass: {
 *   size: import("../measures.mjs").StateSize,
 *   question?: import("../workload.mjs").WorkQuestion | undefined,
 *   kept: boolean,
 * }) => Promise<{ promptMs: number, tokens: number }>} Evaluate `kept`: it may use what the pass before left.
 *   `promptMs`: what the engine itself says that reading the prompt took. `tokens`: evaluated in this pass
 */

/**
 * The workload for an engine that reads one prompt after another.
 *
 * @param {Evaluate} evaluate
 * @param {import("../measures.mjs").Work} work
 * @returns {Promise<import("../turns.mjs").Sample>}
 */
export async function measurePrompts(evaluate, work) {
  const { size } = work;
  if (work.kind === "prefill") {
    const { promptMs, tokens } = await evaluate({ size, kept: false });
    return { value: promptMs, tokens };
  }
  const asked = Object.values(questionsOf(work.kind === "cached" ? 2 : work.questions));
  if (work.kind === "cached") {
    const [first, second] = asked;
    await evaluate({ size, question: first, kept: true });
    const began = performance.now();
    const { tokens } = await evaluate({ size, question: second, kept: true });
    return { value: performance.now() - began, tokens };
  }
  let tokens = 0;
  const began = performance.now();
  for (const [index, question] of asked.entries()) {
    // The first one reads everything; the others read the state no second time.
    tokens += (await evaluate({ size, question, kept: index > 0 })).tokens;
  }
  return { value: performance.now() - began, tokens };
}
