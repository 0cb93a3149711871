import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildHelpers } from "./wasm-build.mjs";

export const nodeLlamaCppVersion = "3.21.1";

/**
 * The peer's main module in the cache, installed first if it may be. It is no dependency of this project: its optional packages
 * hold gigabytes for graphics cards, of which only the one for processors is wanted.
 *
 * @param {{ prepare: boolean, log: (line: string) => void }} options
 * @returns {Promise<string | undefined>} undefined where it is not there
 */
export async function provideNodeLlamaCpp({ prepare, log }) {
  const { cacheRoot, publishFolder, run } = await buildHelpers();
  const platform = `${{ darwin: "mac", win32: "win" }[String(process.platform)] ?? process.platform}-${process.arch}`;
  const folder = join(cacheRoot(), "native-tools", `node-llama-cpp-${nodeLlamaCppVersion}-${platform}`);
  if (!existsSync(folder)) {
    if (!prepare) return undefined;
    await publishFolder(folder, async (target) => {
      log(`installing node-llama-cpp ${nodeLlamaCppVersion}`);
      writeFileSync(join(target, "package.json"), `${JSON.stringify({ private: true })}\n`);
      const names = ["node-llama-cpp", `@node-llama-cpp/${platform}`].map((name) => `${name}@${nodeLlamaCppVersion}`);
      const quietly = ["--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund"];
      await run("npm", ["install", ...quietly, ...names], { cwd: target });
    });
  }
  return join(folder, "node_modules/node-llama-cpp/dist/index.js");
}
