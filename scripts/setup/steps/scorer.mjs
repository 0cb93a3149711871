import { existsSync } from "node:fs";
import { join } from "node:path";
import { factsOfProgram, hashOfFiles } from "../fingerprint.mjs";
import { root } from "../places.mjs";
import { dependencies } from "./dependencies.mjs";

const sources = () =>
  hashOfFiles(["wasm/scorer", "wasm/targets", "wasm/patches", "wasm/build", "wasm/test/quantizer.cpp"]);
const build = join(root, "wasm/build/build.mjs");

/** llama.cpp and the scorer as WebAssembly. The build keeps what it makes in the cache, so a new clone only copies. */
export const wasmScorer = {
  id: "wasm-scorer",
  title: "The scorer as WebAssembly (llama.cpp's source is fetched and compiled: some minutes the first time)",
  place: "clone",
  inputs: () => `${sources()} ${factsOfProgram("emcc")}`,
  intact: () => existsSync(join(root, "packages/core/wasm/manifest.json")),
  work: ({ run }) => run(process.execPath, [build, "--wasm"], { cwd: root }),
};

/** The same scorer as a program of this machine, where there are libraries for it. */
export const nativeScorer = {
  id: "native-scorer",
  title: "The scorer as a native program",
  place: "clone",
  inputs: sources,
  // Not every platform has the libraries: then there is no program, and the build has said so.
  intact: () =>
    process.platform !== "linux" ||
    process.arch !== "x64" ||
    existsSync(join(root, "packages/server-bridge/native/native.json")),
  needs: [dependencies],
  work: ({ run }) => run(process.execPath, [build, "--native"], { cwd: root }),
};
