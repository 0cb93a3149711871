import { Wllama } from "@wllama/wllama";
import wasmAddress from "@wllama/wllama/esm/wasm/wllama.wasm?url";
import { measurePrompts } from "../subjects/prompt-workload.mjs";
import { promptEnd, promptStart } from "../workload.mjs";

function create() {
  return new Wllama({ default: new URL(wasmAddress, location.href).href }, { suppressNativeLog: true });
}

/** @param {string} model */
export async function store(model) {
  await create().modelManager.downloadModel(model);
}

/** @param {{ model: string, threads: number, contextTokens: number }} settings */
export async function start({ model, threads, contextTokens }) {
  const wllama = create();
  const began = performance.now();
  await wllama.loadModelFromUrl(model, {
    n_ctx: contextTokens,
    n_batch: 512,
    n_ubatch: 512,
    n_gpu_layers: 0,
    n_threads: threads,
    flash_attn: true,
  });
  const loadMs = performance.now() - began;

  /** @type {import("../subjects/prompt-workload.mjs").Evaluate} */
  const evaluate = async ({ size, question, kept }) => {
    const prompt = promptStart(size) + (question === undefined ? "" : promptEnd(question));
    const options = { prompt, max_tokens: 1, temperature: 0, stream: false, logprobs: 10, cache_prompt: kept };
    const { timings } = await wllama.createCompletion(/** @type {any} */ (options));
    return { promptMs: timings?.prompt_ms ?? Number.NaN, tokens: timings?.prompt_n ?? Number.NaN };
  };

  return {
    facts: {
      backend: `llama.cpp ${Wllama.getLibllamaVersion()}, ${wllama.isMultithread() ? "threads" : "single thread"}`,
      threads: wllama.getNumThreads(),
    },
    loadMs,
    measure: (/** @type {import("../measures.mjs").Work} */ work) => measurePrompts(evaluate, work),
  };
}
