/**
 * Helpers of the scorer's build: complete or absent folders in the cache, and programs with their output. Imported by an
 * address, because the plain JavaScript over there is not written for the type check that this folder is under.
 *
 * @returns {Promise<{
 *   cacheRoot: () => string,
 *   publishFolder: (folder: string, fill: (folder: string) => Promise<void>) => Promise<boolean>,
 *   run: (command: string, args: readonly string[], options?: { onLine?: (line: string) => void, cwd?: string }) => Promise<string[]>,
 *   hashOf: (parts: readonly string[]) => string,
 * }>}
 */
export async function buildHelpers() {
  const from = (/** @type {string} */ name) => import(new URL(`../../../wasm/build/${name}.mjs`, import.meta.url).href);
  const [{ cacheRoot, publishFolder }, { run }, { hashOf }] = await Promise.all([
    from("cache"),
    from("run"),
    from("hash"),
  ]);
  return { cacheRoot, publishFolder, run, hashOf };
}
