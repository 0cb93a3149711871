import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureNativeTools, toolsSource } from "./tools/native-tools.mjs";
import { buildHelpers } from "./tools/wasm-build.mjs";

/**
 * @typedef {object} BenchFile
 * @property {string} id
 * @property {import("./selection.mjs").Tier} tier
 * @property {string} title
 * @property {string} model id in the catalogue
 * @property {"Q4_0" | "Q8_0"} [quantization] absent: the catalogue's own file
 */

/** @type {readonly BenchFile[]} */
export const files = [
  { id: "smollm2-135m-q4_1", tier: "quick", title: "SmolLM2 135M, Q4_1", model: "smollm2-135m-instruct" },
  {
    id: "smollm2-135m-q4_0",
    tier: "full",
    title: "SmolLM2 135M, Q4_0",
    model: "smollm2-135m-instruct",
    quantization: "Q4_0",
  },
  {
    id: "smollm2-135m-q8_0",
    tier: "full",
    title: "SmolLM2 135M, Q8_0",
    model: "smollm2-135m-instruct",
    quantization: "Q8_0",
  },
  {
    id: "qwen2.5-coder-0.5b-q4_k_m",
    tier: "default",
    title: "Qwen2.5-Coder 0.5B, Q4_K_M",
    model: "qwen2.5-coder-0.5b-instruct",
  },
  {
    id: "qwen2.5-coder-1.5b-q4_k_m",
    tier: "full",
    title: "Qwen2.5-Coder 1.5B, Q4_K_M",
    model: "qwen2.5-coder-1.5b-instruct",
  },
];

/**
 * Where a file lies; made first if it is made from another one.
 *
 * @param {BenchFile} file
 * @param {{ modelsFolder: string, prepare: boolean, log: (line: string) => void }} options
 * @returns {Promise<{ path: string, madeBy?: string } | { missing: string }>}
 */
export async function provideFile(file, { modelsFolder, prepare, log }) {
  const { file: name, sha256 } = catalogueEntry(file.model);
  const original = join(modelsFolder, sha256, name);
  if (!existsSync(original)) return { missing: `not downloaded: optio models pull ${file.model}` };
  const { quantization } = file;
  if (quantization === undefined) return { path: original };

  const { cacheRoot, publishFolder, run } = await buildHelpers();
  const folder = join(cacheRoot(), "bench-models");
  const key = `${sha256.slice(0, 16)}-${toolsSource.release}-${quantization}`;
  const made = join(folder, key, name.replace("Q4_1", quantization));
  const madeBy = `llama-quantize --allow-requantize of ${toolsSource.release}, from ${name}`;
  if (!existsSync(made)) {
    if (!prepare) return { missing: "not made yet: --prepare builds the quantiser and makes it" };
    const { quantize } = await ensureNativeTools({ log });
    mkdirSync(folder, { recursive: true });
    await publishFolder(join(folder, key), async (/** @type {string} */ target) => {
      log(`making ${file.title}`);
      // The weights lose a little twice. That matters to answers, not to times.
      const output = join(target, name.replace("Q4_1", quantization));
      await run("nice", ["-n", "19", quantize, "--allow-requantize", original, output, quantization, "1"]);
    });
  }
  return { path: made, madeBy };
}

/** @param {string} id */
function catalogueEntry(id) {
  const folder = fileURLToPath(new URL("../../models/catalogue", import.meta.url));
  for (const name of readdirSync(folder)) {
    const entry = JSON.parse(readFileSync(join(folder, name), "utf8"));
    if (entry.id === id) return /** @type {{ file: string, sha256: string }} */ (entry);
  }
  throw new Error(`models/catalogue has no ${id}`);
}
