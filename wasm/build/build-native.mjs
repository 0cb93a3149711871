// The native program: the same scorer, linked to the prebuilt libraries of @node-llama-cpp.

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from "node:fs";
import { cpus } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheRoot, publishFolder, writeAtomically } from "./cache.mjs";
import { ensureLlama } from "./fetch-llama.mjs";
import { hashFiles, hashOf, listFiles } from "./hash.mjs";
import { run } from "./run.mjs";
import { findProgram } from "./toolchain.mjs";

const wasmFolder = fileURLToPath(new URL("../", import.meta.url));
const distFolder = fileURLToPath(new URL("../../packages/server-bridge/native/", import.meta.url));
const FLAGS = ["-O3", "-std=c++17", "-Wall", "-Wextra"];

/**
 * Makes sure that the native program lies in packages/server-bridge/native, with native.json beside it: `program`, `libraries` (their folder),
 * `llamaRelease`.
 *
 * @param options `log` gets a line about each step.
 * @returns `changed`: whether anything was built; `available` and, where it is false, `reason`: no libraries for this platform.
 */
export async function buildNative({ log = () => {} } = {}) {
  const libraries = findLibraries();
  if (libraries.reason) return { changed: false, available: false, reason: libraries.reason };
  const compiler = ["g++", "clang++", "c++"].find((name) => findProgram(name));
  if (!compiler) throw new Error('the native program needs a C++ compiler: on Debian "apt-get install g++"');
  const llama = await ensureLlama({ log });
  const key = outputKey(compiler, libraries, llama);
  const finished = join(cacheRoot(), "native", key.slice(0, 24));
  const built = await publishFolder(finished, (folder) => build(folder, { compiler, libraries, llama, log }));
  const copied = install(finished, libraries, key);
  return { changed: llama.changed || built || copied, available: true, program: join(distFolder, "optio-scorer") };
}

function findLibraries() {
  const platform = `${{ darwin: "mac", win32: "win" }[process.platform] ?? process.platform}-${process.arch}`;
  const packageFolder = join(wasmFolder, "node_modules", "@node-llama-cpp", platform);
  if (platform !== "linux-x64")
    return { reason: `the native scorer is only built for linux-x64 so far, not for ${platform}` };
  if (!existsSync(packageFolder)) return { reason: `@node-llama-cpp/${platform} is not installed: run pnpm install` };
  const folder = join(realpathSync(packageFolder), "bins", platform);
  const names = readdirSync(folder);
  const library = (name) => names.find((file) => new RegExp(`^lib${name}(\\.v[\\d.]+)?\\.so$`).test(file));
  const files = [library("llama"), library("ggml"), library("ggml-base")];
  if (files.some((file) => file === undefined)) throw new Error(`${packageFolder} does not hold llama.cpp's libraries`);
  const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));
  return { folder, files, version, release: /^libllama\.(v[\d.]+)\.so$/.exec(files[0])?.[1] ?? "unknown" };
}

function outputKey(compiler, libraries, llama) {
  const version = execFileSync(compiler, ["--version"], { encoding: "utf8" });
  const files = listFiles(wasmFolder, ["scorer", "targets", "build/build-native.mjs"]);
  return hashOf([version, libraries.folder, libraries.version, basename(llama.pristine), hashFiles(wasmFolder, files)]);
}

// The headers are those of the release that the module is built from; the public structures are the same in both.
async function build(folder, { compiler, libraries, llama, log }) {
  const includes = ["include", "ggml/include"].map((name) => `-I${join(llama.pristine, name)}`);
  const flags = [
    ...FLAGS,
    `-DOPTIO_LLAMA_RELEASE="${libraries.release}"`,
    `-ffile-prefix-map=${wasmFolder}=`,
    ...includes,
  ];
  const sources = [...listFiles(wasmFolder, ["scorer"]).filter((file) => file.endsWith(".cpp")), "targets/stdio.cpp"];
  const objects = sources.map((file) => join(folder, `${basename(file)}.o`));
  let next = 0;
  const worker = async () => {
    while (next < sources.length) {
      const i = next++;
      log(`native scorer: compiling [${i + 1}/${sources.length}]`);
      await run(compiler, [...flags, "-c", join(wasmFolder, sources[i]), "-o", objects[i]]);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, cpus().length) }, worker));
  log("native scorer: linking");
  const link = [
    `-L${libraries.folder}`,
    ...libraries.files.map((file) => `-l:${file}`),
    `-Wl,-rpath,${libraries.folder}`,
    "-pthread",
    "-ldl",
  ];
  await run(compiler, [...objects, "-o", join(folder, "optio-scorer"), ...link]);
  for (const object of objects) rmSync(object);
}

function install(finished, libraries, key) {
  const text = `${JSON.stringify({ program: "optio-scorer", libraries: libraries.folder, llamaRelease: libraries.release, key }, null, 2)}\n`;
  const program = join(distFolder, "optio-scorer");
  const facts = join(distFolder, "native.json");
  if (existsSync(program) && existsSync(facts) && readFileSync(facts, "utf8") === text) return false;
  mkdirSync(distFolder, { recursive: true });
  rmSync(facts, { force: true });
  const temporary = `${program}.tmp-${process.pid}`;
  copyProgram(join(finished, "optio-scorer"), temporary);
  renameSync(temporary, program);
  writeAtomically(facts, text);
  return true;
}

function copyProgram(from, to) {
  copyFileSync(from, to);
  chmodSync(to, 0o755);
}
