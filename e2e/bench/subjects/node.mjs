import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { killDescendants, peakMemory } from "../process-tree.mjs";

/**
 * What the host process starts.
 *
 * @typedef {{ model: string, threads: number, contextTokens: number } & (
 *   { engine: "wasm", variant: string } | { engine: "native" } | { engine: "node-llama-cpp", entry: string })} HostSettings
 */

/**
 * A Node of its own for each turn: its memory is the subject's, and it can be ended in the middle of a call.
 *
 * @param {HostSettings} settings
 * @returns {Promise<import("../turns.mjs").Running>}
 */
export async function startInNode(settings) {
  const host = fork(fileURLToPath(new URL("node-host.mjs", import.meta.url)), [JSON.stringify(settings)], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const gone = new Promise((_, reject) => {
    host.once("error", reject);
    host.once("exit", (code, signal) => reject(new Error(`the Node process ended (${signal ?? `exit code ${code}`})`)));
  });
  // Whoever waits for an answer hears of it; nobody else has to.
  gone.catch(() => undefined);
  const answer = () =>
    Promise.race([
      gone,
      new Promise((resolve, reject) => {
        host.once("message", (/** @type {{ error?: string, result?: unknown }} */ { error, result }) =>
          error === undefined ? resolve(result) : reject(new Error(error)),
        );
      }),
    ]);
  const close = async () => {
    const ended = new Promise((resolve) =>
      host.exitCode === null && host.signalCode === null ? host.once("exit", resolve) : resolve(undefined),
    );
    if (host.pid !== undefined) killDescendants(host.pid);
    host.kill("SIGKILL");
    await ended;
  };
  try {
    const { facts, loadMs } = /** @type {any} */ (await answer());
    return {
      facts,
      loadMs,
      measure: async (work) => {
        const answered = answer();
        host.send(work);
        return /** @type {import("../turns.mjs").Sample} */ (await answered);
      },
      peakMemory: () => peakMemory(host.pid === undefined ? [] : [host.pid]),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
