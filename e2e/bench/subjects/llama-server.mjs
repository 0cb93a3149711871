import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { peakMemory } from "../process-tree.mjs";
import { lettersOf, promptStart, questionText, stateText, systemText } from "../workload.mjs";
import { measurePrompts } from "./prompt-workload.mjs";

/**
 * llama-server, asked by "recipe A": a chat request for one token, its letters lifted above all else by a bias, which gives their
 * exact probabilities.
 *
 * @param {{ program: string, release: string, model: string, threads: number, contextTokens: number, mayKeep: boolean }} settings
 *   `mayKeep`: prompts may share what they begin with; the recipe as it is written down turns that off, so that its numbers repeat
 * @returns {Promise<import("../turns.mjs").Running>}
 */
export async function startLlamaServer({ program, release, model, threads, contextTokens, mayKeep }) {
  const port = await freePort();
  const options = {
    "--model": model,
    "--host": "127.0.0.1",
    "--port": String(port),
    "--threads": String(threads),
    "--ctx-size": String(contextTokens),
    // One question after another: side by side they would share the same processors.
    "--parallel": "1",
    "--flash-attn": "on",
    // Otherwise "nothing kept" might be answered from copies of earlier states.
    "--cache-ram": "0",
  };
  const began = performance.now();
  const server = spawn(program, Object.entries(options).flat(), { stdio: ["ignore", "ignore", "pipe"] });
  let lastWords = "";
  server.stderr.setEncoding("utf8").on("data", (text) => {
    lastWords = (lastWords + text).slice(-1_000);
  });
  const ended = new Promise((resolve) => server.once("close", resolve));
  let gone = false;
  const whenGone = Promise.race([ended, new Promise((resolve) => server.once("error", resolve))]).then((how) => {
    gone = true;
    throw new Error(`llama-server ended (${how}): ${lastWords.trim()}`);
  });
  whenGone.catch(() => undefined);
  // However this process ends, the server must not outlive it.
  const kill = () => void server.kill("SIGKILL");
  process.once("exit", kill);
  const close = async () => {
    process.off("exit", kill);
    kill();
    if (!gone) await ended;
  };

  /**
   * @param {string} path
   * @param {unknown} body
   */
  const post = async (path, body) => {
    const answer = await Promise.race([
      whenGone,
      fetch(`http://127.0.0.1:${port}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    ]);
    if (!answer.ok) throw new Error(`llama-server answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`);
    return answer.json();
  };

  /** @type {import("./prompt-workload.mjs").Evaluate} */
  const evaluate = async ({ size, question, kept: wanted }) => {
    const kept = wanted && mayKeep;
    if (question === undefined) {
      const { timings } = await post("/completion", { prompt: promptStart(size), n_predict: 1, cache_prompt: kept });
      return { promptMs: timings.prompt_ms, tokens: timings.prompt_n };
    }
    const letters = lettersOf(question);
    const { timings, choices } = await post("/v1/chat/completions", {
      messages: [
        { role: "system", content: systemText },
        { role: "user", content: stateText(size) + questionText(question) },
      ],
      max_tokens: 1,
      chat_template_kwargs: { enable_thinking: false },
      cache_prompt: kept,
      samplers: ["temperature"],
      temperature: 1,
      logit_bias: Object.fromEntries(letters.map((letter) => [letter, 100])),
      post_sampling_probs: true,
      logprobs: true,
      top_logprobs: letters.length,
    });
    const read = choices[0]?.logprobs?.content?.[0]?.top_probs ?? [];
    if (!letters.every((letter) => read.some((/** @type {{ token: string }} */ { token }) => token === letter))) {
      throw new Error(`llama-server did not read all of ${letters.join(", ")}`);
    }
    return { promptMs: timings.prompt_ms, tokens: timings.prompt_n };
  };

  try {
    await untilHealthy(port, whenGone);
    return {
      facts: { backend: `llama.cpp ${release}`, threads },
      loadMs: performance.now() - began,
      measure: (work) => measurePrompts(evaluate, work),
      peakMemory: () => peakMemory(server.pid === undefined ? [] : [server.pid]),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * @param {number} port
 * @param {Promise<never>} whenGone
 */
async function untilHealthy(port, whenGone) {
  for (;;) {
    const answer = await Promise.race([whenGone, fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined)]);
    if (answer?.ok) return;
    await Promise.race([whenGone, sleep(5)]);
  }
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
