import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress } from "node:zlib";
import { buildHelpers } from "./wasm-build.mjs";

/**
 * @typedef {{ title: string, own: boolean, bytes: number, brotliBytes: number }} ModuleSize
 *
 * @param {readonly import("../variants.mjs").Variant[]} variants
 * @returns {Promise<ModuleSize[]>}
 */
export async function moduleSizes(variants) {
  const peer = fileURLToPath(new URL("../../node_modules/@wllama/wllama/esm/wasm/wllama.wasm", import.meta.url));
  return [
    ...variants.map(({ id, wasm }) => ({ title: `optio, ${id}`, own: true, ...wasm })),
    { title: "wllama", own: false, ...(await sizesOf(peer)) },
  ];
}

/**
 * Brotli at its best takes half a minute for such a file, so that its size is remembered.
 *
 * @param {string} path
 */
async function sizesOf(path) {
  const { cacheRoot } = await buildHelpers();
  const content = readFileSync(path);
  const key = createHash("sha256").update(content).digest("hex");
  const remembered = join(cacheRoot(), "bench-sizes", `${key.slice(0, 24)}.json`);
  try {
    return /** @type {{ bytes: number, brotliBytes: number }} */ (JSON.parse(readFileSync(remembered, "utf8")));
  } catch {
    const { length: brotliBytes } = await promisify(brotliCompress)(content);
    const sizes = { bytes: content.length, brotliBytes };
    mkdirSync(dirname(remembered), { recursive: true });
    writeFileSync(remembered, `${JSON.stringify(sizes)}\n`);
    return sizes;
  }
}
