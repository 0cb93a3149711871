// Builds the scorer: node wasm/build/build.mjs [--wasm] [--native], both by default. Does nothing where nothing changed.

import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildNative } from "./build-native.mjs";
import { buildWasm } from "./build-wasm.mjs";

export { ensureLlama } from "./fetch-llama.mjs";
export { buildNative, buildWasm };

async function main(args) {
  const unknown = args.find((arg) => arg !== "--wasm" && arg !== "--native");
  if (unknown !== undefined) throw new Error(`unknown argument ${unknown}; there are --wasm and --native`);
  const log = (line) => console.log(line);
  if (args.length === 0 || args.includes("--wasm")) {
    const { changed } = await buildWasm({ log });
    log(changed ? "The modules are in packages/core/wasm." : "The modules are up to date.");
  }
  if (args.length === 0 || args.includes("--native")) {
    const { changed, available, reason } = await buildNative({ log });
    log(
      !available
        ? `No native program: ${reason}`
        : changed
          ? "The native program is in packages/server-bridge/native."
          : "The native program is up to date.",
    );
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  main(process.argv.slice(2)).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
