import { readFile } from "node:fs/promises";

/**
 * One build of the WebAssembly scorer.
 *
 * @typedef {object} Variant
 * @property {string} id
 * @property {boolean} threads
 * @property {{ bytes: number, brotliBytes: number }} wasm
 */

/** What was built, by the manifest that the build writes. */
export async function builtVariants() {
  const address = new URL("../../packages/core/wasm/manifest.json", import.meta.url);
  return variantsOf(JSON.parse(await readFile(address, "utf8")));
}

/**
 * @param {{ files: Record<string, { bytes: number, brotliBytes: number }> }} manifest
 * @returns {Variant[]} those with threads first, and the plainest of them first
 */
export function variantsOf({ files }) {
  const found = Object.entries(files).flatMap(([name, { bytes, brotliBytes }]) => {
    const id = /^scorer\.(.+)\.wasm$/.exec(name)?.[1];
    // Only builds with threads have a script for the threads' workers.
    return id === undefined ? [] : [{ id, threads: `scorer.${id}.worker.mjs` in files, wasm: { bytes, brotliBytes } }];
  });
  return found.sort((a, b) => Number(b.threads) - Number(a.threads) || a.id.length - b.id.length);
}
