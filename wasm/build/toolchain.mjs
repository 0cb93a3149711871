// Finds the compilers, and says what to install where one is missing.

import { execFileSync } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

const OLDEST = [3, 1, 6];

/** The path of a program, or undefined. */
export function findProgram(name) {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // not here
    }
  }
  return undefined;
}

/**
 * Emscripten, and what belongs to it.
 *
 * @returns `version` as text and numbers, `root`: its folder, `wasmOpt`: binaryen's program, `env`: for every call of it.
 */
export function findEmscripten() {
  const missing = ["emcc", "cmake", "ninja"].filter((name) => !findProgram(name));
  if (missing.length > 0) {
    throw new Error(
      `the WebAssembly build needs ${missing.join(", ")}: on Debian "apt-get install emscripten cmake ninja-build", ` +
        `on Fedora "dnf install emscripten cmake ninja-build", on macOS "brew install emscripten cmake ninja"`,
    );
  }
  const emcc = findProgram("emcc");
  const version = readVersion(emcc);
  const numbers = version.split(".").map(Number);
  if (compare(numbers, OLDEST) < 0)
    throw new Error(`emscripten ${version} is too old: ${OLDEST.join(".")} or newer is needed`);
  return { version, numbers, root: dirname(realpathSync(emcc)), wasmOpt: findWasmOpt(emcc), env: environment() };
}

/** The first emscripten whose own compiler and binaryen know relaxed SIMD as it was standardised. */
const RELAXED_SIMD = [3, 1, 50];
const CLANG = 19;

/**
 * What compiles and links relaxed SIMD: emscripten by itself, or an older one with Debian's clang 19 under it.
 *
 * @returns `flags`: for the compiler; `env`: for every call; `drafts`: whether binaryen knows relaxed SIMD by its draft's numbers only;
 *   or undefined, where neither is there.
 */
export function findRelaxedSimd(emscripten) {
  const flags = ["-msimd128", "-mrelaxed-simd"];
  if (compare(emscripten.numbers, RELAXED_SIMD) >= 0) {
    return { name: "emscripten", flags, env: emscripten.env, drafts: false };
  }
  const programs = [`clang-${CLANG}`, `wasm-ld-${CLANG}`, `llvm-ar-${CLANG}`].map(findProgram);
  if (programs.includes(undefined)) return undefined;
  return {
    name: `clang ${CLANG}`,
    flags: [...flags, "-mno-reference-types", "-mno-multivalue"],
    env: { ...emscripten.env, EM_CLANG_ADD_VERSION: `${CLANG}`, EM_LLVM_ADD_VERSION: `${CLANG}` },
    drafts: true,
  };
}

/** Whether the version is at least the given one. */
export function atLeast(numbers, wanted) {
  return compare(numbers, wanted) >= 0;
}

function compare(a, b) {
  for (let i = 0; i < 3; i++) if ((a[i] ?? 0) !== (b[i] ?? 0)) return (a[i] ?? 0) - (b[i] ?? 0);
  return 0;
}

// The file beside emcc is read instead of asking emcc, which takes a second to start.
function readVersion(emcc) {
  const beside = join(dirname(realpathSync(emcc)), "emscripten-version.txt");
  const text = existsSync(beside)
    ? readFileSync(beside, "utf8")
    : execFileSync(emcc, ["--version"], { encoding: "utf8" });
  const found = /(\d+\.\d+\.\d+)/.exec(text);
  if (!found) throw new Error(`${emcc} does not say its version`);
  return found[1];
}

function findWasmOpt(emcc) {
  const beside = join(dirname(dirname(realpathSync(emcc))), "bin", "wasm-opt");
  if (existsSync(beside)) return beside;
  const onPath = findProgram("wasm-opt");
  if (!onPath) throw new Error('the WebAssembly build needs wasm-opt: it is in the package "binaryen"');
  return onPath;
}

// Debian's emscripten loads its JavaScript parser from where Debian's own node looks, and other nodes do not.
function environment() {
  const folders = ["/usr/share/nodejs", "/usr/lib/nodejs"].filter((folder) => existsSync(join(folder, "acorn")));
  const nodePath = [process.env.NODE_PATH, ...folders].filter(Boolean).join(delimiter);
  return { ...process.env, ...(nodePath ? { NODE_PATH: nodePath } : {}) };
}
