import { Wllama } from "@wllama/wllama";
import wasmAddress from "@wllama/wllama/esm/wasm/wllama.wasm?url";
import { promptEnds, promptStart } from "../workload.mjs";

/** @param {{ model: string, threads: number }} options */
export async function start({ model, threads }) {
  const wllama = new Wllama({ default: new URL(wasmAddress, location.href).href }, { suppressNativeLog: true });
  const weights = await (await fetch(model)).blob();
  await wllama.loadModel([weights], {
    n_ctx: 2048,
    n_batch: 512,
    n_ubatch: 512,
    n_gpu_layers: 0,
    n_threads: threads,
    flash_attn: true,
  });

  /** One pass over a prompt; `kept` lets it use what the last one left. */
  const evaluate = async (/** @type {string} */ prompt, /** @type {boolean} */ kept) => {
    const options = { prompt, max_tokens: 1, temperature: 0, stream: false, logprobs: 10, cache_prompt: kept };
    const { timings } = await wllama.createCompletion(/** @type {any} */ (options));
    return { ms: timings?.prompt_ms ?? Number.NaN, tokens: timings?.prompt_n ?? Number.NaN };
  };

  return {
    label: `${wllama.isMultithread() ? "threads" : "single thread"}, ${wllama.getNumThreads()} threads`,
    version: Wllama.getLibllamaVersion(),
    async decide() {
      const began = performance.now();
      const prefix = await evaluate(promptStart, false);
      let { tokens } = prefix;
      for (const end of promptEnds) tokens += (await evaluate(promptStart + end, true)).tokens;
      return { prefillMs: prefix.ms, decisionMs: performance.now() - began, tokens };
    },
    prefixTokens: async () => (await evaluate(promptStart, false)).tokens,
  };
}
