import { pathToFileURL } from "node:url";
import { promptEnd, promptStart } from "../workload.mjs";
import { measurePrompts } from "./prompt-workload.mjs";

/**
 * node-llama-cpp by its own interface: the tokens are evaluated, and the probabilities of what follows the last one are asked
 * for, which come as a sorted map of the whole vocabulary.
 *
 * @param {{ entry: string, model: string, threads: number, contextTokens: number }} settings `entry`: its main module
 */
export async function startNodeLlamaCpp({ entry, model: modelPath, threads, contextTokens }) {
  const { getLlama } = await import(pathToFileURL(entry).href);
  const began = performance.now();
  const llama = await getLlama({
    gpu: false,
    build: "never",
    skipDownload: true,
    logLevel: "error",
    progressLogs: false,
  });
  const model = await llama.loadModel({ modelPath, gpuLayers: 0 });
  const context = await model.createContext({
    contextSize: contextTokens,
    batchSize: 512,
    threads: { ideal: threads, min: threads },
    flashAttention: true,
  });
  const sequence = context.getSequence();
  const loadMs = performance.now() - began;

  /** @type {import("./prompt-workload.mjs").Evaluate} */
  const evaluate = async ({ size, question, kept }) => {
    const began = performance.now();
    const prompt = promptStart(size) + (question === undefined ? "" : promptEnd(question));
    const tokens = model.tokenize(prompt, true);
    if (kept) {
      // The last token is evaluated anew where the whole prompt is there: something has to be read.
      await sequence.adaptStateToTokens(tokens.slice(0, -1), false);
    } else {
      await sequence.clearHistory();
    }
    const rest = tokens.slice(sequence.nextTokenIndex);
    const read = [rest.at(-1), { generateNext: { probabilities: true } }];
    const evaluated = await sequence.controlledEvaluate([
      ...rest.slice(0, -1),
      question === undefined ? rest.at(-1) : read,
    ]);
    if (question !== undefined && !(evaluated.at(-1)?.next?.probabilities?.size > 0)) {
      throw new Error("node-llama-cpp gave no probabilities");
    }
    return { promptMs: performance.now() - began, tokens: rest.length };
  };
  return {
    facts: { backend: `llama.cpp ${llama.llamaCppRelease.release}`, threads: context.currentThreads },
    loadMs,
    measure: (/** @type {import("../measures.mjs").Work} */ work) => measurePrompts(evaluate, work),
  };
}
