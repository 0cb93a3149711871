import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { cpus, release, totalmem, type } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { toolsSource } from "./tools/native-tools.mjs";
import { nodeLlamaCppVersion } from "./tools/node-llama-cpp.mjs";

export function describeMachine() {
  return {
    processor: cpus()[0]?.model.trim() ?? "unknown",
    processors: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release().split(".").slice(0, 2).join(".")}`,
  };
}

/**
 * Of everything that was measured.
 *
 * @param {{ chromium: string | undefined, cmakeOptions: readonly string[] | undefined }} known
 */
export async function describeVersions({ chromium, cmakeOptions }) {
  const read = async (/** @type {string} */ address) =>
    JSON.parse(await readFile(new URL(address, import.meta.url), "utf8"));
  const manifest = await read("../../packages/core/wasm/manifest.json");
  const commit = await promisify(execFile)("git", ["describe", "--always", "--dirty"], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
  }).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
  return {
    optio: (await read("../../packages/core/package.json")).version,
    commit,
    scorer: { llama: manifest.llamaRelease, emscripten: manifest.emscripten, key: manifest.key },
    node: process.versions.node,
    chromium,
    wllama: (await read("../node_modules/@wllama/wllama/package.json")).version,
    nodeLlamaCpp: nodeLlamaCppVersion,
    llamaServer: { release: toolsSource.release, cmakeOptions },
  };
}
