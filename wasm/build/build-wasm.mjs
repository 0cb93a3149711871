// The WebAssembly modules: llama.cpp's objects once, with what threads need, then a link for each variant.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { cpus } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { cacheRoot, publishFolder, withLock, writeAtomically } from "./cache.mjs";
import { ensureLlama, LLAMA_RELEASE } from "./fetch-llama.mjs";
import { adaptGlue, adaptWorker } from "./glue.mjs";
import { hashFiles, hashOf, listFiles, sha256 } from "./hash.mjs";
import { fromDraft, toDraft } from "./relaxed-opcodes.mjs";
import { run } from "./run.mjs";
import { atLeast, findEmscripten, findRelaxedSimd } from "./toolchain.mjs";

const wasmFolder = fileURLToPath(new URL("../", import.meta.url));
const outputFolder = fileURLToPath(new URL("../../packages/core/wasm/", import.meta.url));
const testFolder = join(wasmFolder, "dist");
const TESTS = "tests";
const projectFile = join(wasmFolder, "build", "llama-project.cmake");

/** The most that a module may weigh on the wire. */
const MAX_BROTLI_BYTES = 700_000;

const EXCEPTIONS = "-fwasm-exceptions";
const LLAMA_OPTIONS = {
  CMAKE_BUILD_TYPE: "Release",
  EMSCRIPTEN_SYSTEM_PROCESSOR: "wasm32", // else ggml takes its scalar kernels without a word
  LLAMA_WASM_MEM64: "OFF",
  LLAMA_BUILD_HTML: "OFF",
  GGML_WASM_SINGLE_FILE: "OFF",
  GGML_NATIVE: "OFF",
  GGML_OPENMP: "OFF",
  GGML_LLAMAFILE: "OFF",
  GGML_CPU_REPACK: "ON",
  LLAMA_BUILD_COMMON: "OFF",
  LLAMA_BUILD_TESTS: "OFF",
  LLAMA_BUILD_TOOLS: "OFF",
  LLAMA_BUILD_EXAMPLES: "OFF",
  LLAMA_BUILD_SERVER: "OFF",
  LLAMA_BUILD_APP: "OFF",
  BUILD_SHARED_LIBS: "OFF",
};
const KERNEL_LIBRARY = "ggml/src/libggml-cpu.a";
const LIBRARIES = ["src/libllama.a", "ggml/src/libggml.a", KERNEL_LIBRARY, "ggml/src/libggml-base.a"];

// Linked at -O1: at -O2 and above binaryen inlines the kernels into functions so large that engines run them unoptimised at first.
// wasm-opt then does what makes the file smaller without inlining.
const LINK = [
  "-O1",
  "-msimd128",
  EXCEPTIONS,
  "-sALLOW_MEMORY_GROWTH=1",
  "-sINITIAL_MEMORY=64MB",
  "-sMAXIMUM_MEMORY=4GB",
  "-sMEMORY_GROWTH_LINEAR_STEP=4MB", // by a fifth, as is the default, up to 96 MB beyond need would lie idle
  "-sWASM_BIGINT=1",
  "-sMODULARIZE=1",
  "-sEXPORT_ES6=1",
  "-sUSE_ES6_IMPORT_META=1",
  "-sENVIRONMENT=worker",
  "-sFILESYSTEM=0",
  "-sEXPORTED_FUNCTIONS=_malloc,_free",
  "-sEXPORTED_RUNTIME_METHODS=HEAPU8",
  "-sINCOMING_MODULE_JS_API=instantiateWasm,print,printErr,onAbort,pthreadPoolSize,wasmMemory,buffer,wasmModule,ENVIRONMENT_IS_PTHREAD",
];
const LINK_THREADS = [
  "-pthread",
  "-sPTHREAD_POOL_SIZE=Module.pthreadPoolSize",
  "-sDEFAULT_PTHREAD_STACK_SIZE=1MB",
  "-Wno-pthreads-mem-growth",
];
const SHRINK = [
  "-O2",
  "--one-caller-inline-max-function-size=20",
  "--flexible-inline-max-function-size=5",
  "--strip-debug",
  "--strip-producers",
];
const FEATURES = [
  "simd",
  "threads",
  "bulk-memory",
  "exception-handling",
  "sign-ext",
  "mutable-globals",
  "nontrapping-float-to-int",
];

const VARIANTS = [
  { name: "simd", threads: false, relaxed: false },
  { name: "simd-threads", threads: true, relaxed: false },
  { name: "relaxed-simd", threads: false, relaxed: true },
  { name: "relaxed-simd-threads", threads: true, relaxed: true },
];

/**
 * Makes sure that the modules lie in packages/core/wasm.
 *
 * @param options `log` gets a line about each step.
 * @returns `changed`: whether anything was built or copied; `manifest`: what manifest.json holds.
 */
export async function buildWasm({ log = () => {} } = {}) {
  const emscripten = findEmscripten();
  const relaxedSimd = findRelaxedSimd(emscripten);
  if (!relaxedSimd)
    throw new Error(
      `emscripten ${emscripten.version} does not compile relaxed SIMD: "apt-get install clang-19 lld-19 llvm-19", ` +
        "or an emscripten from 3.1.50 on",
    );
  const llama = await ensureLlama({ log });
  const key = outputKey(emscripten, relaxedSimd, llama);
  const finished = join(cacheRoot(), "wasm", key.slice(0, 24));
  const built = await publishFolder(finished, (folder) => build(folder, { emscripten, relaxedSimd, llama, key, log }));
  const copied = install(finished);
  return {
    changed: llama.changed || built || copied,
    manifest: JSON.parse(readFileSync(join(finished, "manifest.json"), "utf8")),
  };
}

/** Changes with everything that the modules are made of. */
function outputKey(emscripten, relaxedSimd, llama) {
  const files = listFiles(wasmFolder, [
    "scorer",
    "kernels",
    "targets",
    "test/quantizer.cpp",
    "test/kernels.cpp",
    "build/build-wasm.mjs",
    "build/llama-project.cmake",
    "build/glue.mjs",
    "build/relaxed-opcodes.mjs",
  ]);
  return hashOf([emscripten.version, relaxedSimd.name, basename(llama.patched), hashFiles(wasmFolder, files)]);
}

async function build(folder, { emscripten, relaxedSimd, llama, key, log }) {
  const ordinary = { env: emscripten.env, flags: ["-msimd128"], exceptions: [EXCEPTIONS] };
  // Nothing in ggml's CPU back end or in the kernels throws: they need no exceptions, whose form differs between compilers.
  const relaxed = { env: relaxedSimd.env, flags: relaxedSimd.flags, exceptions: [] };
  const objects = await compileLlama({ emscripten, llama, log }, { ...ordinary, target: "llama" });
  const context = { emscripten, relaxedSimd, llama, objects, folder, log };
  const relaxedObjects = await compileLlama(context, { ...relaxed, target: "ggml-cpu" });
  const scorer = await compileAll(context, sourcesIn("scorer"), ordinary);
  const libraries = LIBRARIES.map((path) => join(objects, path));
  // The kernels come before llama.cpp's libraries at the link, and so stand in for its tiled product, which is for x86.
  const parts = {
    ordinary: { kernels: await compileAll(context, sourcesIn("kernels"), ordinary), libraries },
    relaxed: {
      kernels: await compileAll(context, sourcesIn("kernels"), relaxed),
      libraries: libraries.map((path) => (path.endsWith(KERNEL_LIBRARY) ? join(relaxedObjects, KERNEL_LIBRARY) : path)),
    },
  };
  const manifest = { key, llamaRelease: LLAMA_RELEASE, emscripten: emscripten.version, files: {} };
  mkdirSync(join(folder, TESTS));
  // emscripten's file for a thread of Node is CommonJS, whatever the package around it says.
  writeFileSync(join(folder, TESTS, "package.json"), '{ "type": "commonjs" }\n');
  for (const variant of VARIANTS) {
    const { kernels, libraries } = variant.relaxed ? parts.relaxed : parts.ordinary;
    const own = await compileAll(context, ["targets/wasm.cpp"], { ...ordinary, defines: definesOf(variant) });
    Object.assign(manifest.files, await linkVariant(context, variant, [...scorer, ...own, ...kernels], libraries));
    const test = await compileAll(context, ["test/kernels.cpp"], ordinary);
    await linkKernelTest(context, variant, [...test, ...kernels], libraries);
  }
  await linkQuantizerTest(context, await compileAll(context, ["test/quantizer.cpp"], ordinary));
  writeFileSync(join(folder, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

function definesOf({ name, threads }) {
  return [`-DOPTIO_VARIANT="${name}"`, ...(threads ? ["-DOPTIO_THREADS"] : [])];
}

/** The folder with llama.cpp's objects and libraries, compiled as far as they are not yet. */
async function compileLlama({ emscripten, llama, log }, { env: compilerEnv, flags, exceptions, target }) {
  const all = compileFlags(llama.patched, flags);
  const settings = {
    ...LLAMA_OPTIONS,
    CMAKE_C_FLAGS: all.join(" "),
    CMAKE_CXX_FLAGS: [...all, ...exceptions].join(" "),
  };
  const project = readFileSync(projectFile, "utf8");
  const key = hashOf([emscripten.version, llama.patched, JSON.stringify(settings), project]);
  const folder = join(cacheRoot(), "build", `llama-${key.slice(0, 24)}`);
  await withLock(
    `${folder}.lock`,
    async () => {
      if (existsSync(join(folder, "complete"))) return;
      if (!existsSync(join(folder, "configured"))) {
        log("llama.cpp: configuring");
        rmSync(folder, { recursive: true, force: true });
        mkdirSync(folder, { recursive: true });
        // A copy, so that the build folder depends on no other folder than llama.cpp's.
        writeFileSync(join(folder, "project.cmake"), project);
        const all = { ...settings, "CMAKE_PROJECT_llama.cpp_INCLUDE": join(folder, "project.cmake") };
        const options = Object.entries(all).map(([name, value]) => `-D${name}=${value}`);
        // GIT_DIR: a repository around the cache is not llama.cpp's, and must not get into the build.
        const env = { ...compilerEnv, GIT_DIR: "/nonexistent" };
        const lines = [];
        await run("emcmake", ["cmake", "-S", llama.patched, "-B", folder, "-G", "Ninja", ...options], {
          env,
          onLine: (line) => lines.push(line),
        });
        if (!lines.some((line) => line.includes("Wasm detected")))
          throw new Error("llama.cpp did not recognise WebAssembly as its target");
        writeFileSync(join(folder, "configured"), "");
      }
      await run("ninja", ["-C", folder, target], {
        env: { ...compilerEnv, NINJA_STATUS: "[%f/%t] " },
        onLine: (line) => {
          const step = /^\[(\d+\/\d+)\]/.exec(line);
          if (step) log(`llama.cpp (${target}): compiling [${step[1]}]`);
        },
      });
      writeFileSync(join(folder, "complete"), "");
    },
    log,
  );
  return folder;
}

// The prefix map keeps this machine's paths out of the assertions' texts, so that the same sources make the same module anywhere.
function compileFlags(source, flags) {
  return [...flags, "-pthread", `-fmacro-prefix-map=${source}=llama.cpp`];
}

function sourcesIn(folder) {
  return listFiles(wasmFolder, [folder]).filter((file) => file.endsWith(".cpp"));
}

/** Objects of our own sources, a few at a time; unchanged ones are taken from the last build. */
async function compileAll(context, files, compiler) {
  const waiting = [...files];
  const objects = [];
  const worker = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift())
      objects.push(await compile(context, file, compiler));
  };
  await Promise.all(Array.from({ length: Math.max(1, cpus().length) }, worker));
  return objects.sort();
}

async function compile({ llama, objects, log }, file, { env, flags, exceptions, defines = [] }) {
  const headers = listFiles(wasmFolder, ["scorer", "kernels"]).filter((name) => name.endsWith(".h"));
  const options = [
    "-O3",
    "-std=c++17",
    ...exceptions,
    "-Wall",
    "-Wextra",
    ...compileFlags(wasmFolder, flags),
    ...defines,
  ];
  // ggml's own headers define functions that not every file needs.
  const all = [...options, "-Wno-unused-function", `-DOPTIO_LLAMA_RELEASE="${LLAMA_RELEASE}"`];
  const key = hashOf([...all, hashFiles(wasmFolder, [file, ...headers])]);
  const object = join(objects, "scorer", `${basename(file)}-${key.slice(0, 16)}.o`);
  if (existsSync(object)) return object;
  mkdirSync(join(objects, "scorer"), { recursive: true });
  log(`compiling ${file}`);
  const temporary = `${object}.tmp-${process.pid}`;
  const folders = ["include", "ggml/include", "ggml/src", "ggml/src/ggml-cpu"].map((name) => join(llama.patched, name));
  const includes = [wasmFolder, ...folders].map((path) => `-I${path}`);
  await run("em++", [...all, ...includes, "-c", join(wasmFolder, file), "-o", temporary], { env });
  renameSync(temporary, object);
  return object;
}

async function linkVariant(context, { name, threads, relaxed }, parts, libraries) {
  const { emscripten, relaxedSimd, folder, log } = context;
  log(`scorer.${name}: linking`);
  const work = join(folder, `.link-${name}`);
  mkdirSync(work);
  const stack = atLeast(emscripten.numbers, [3, 1, 27]) ? "-sSTACK_SIZE=2MB" : "-sTOTAL_STACK=2MB";
  const flags = [...LINK, stack, ...(threads ? LINK_THREADS : [])];
  const unwinder = threads ? await compileUnwinder(context) : [];
  const { env } = relaxed ? relaxedSimd : emscripten;
  await run("em++", [...flags, ...parts, ...unwinder, ...libraries, "-o", join(work, `scorer.${name}.mjs`)], { env });

  const read = (suffix) => readFileSync(join(work, `scorer.${name}.${suffix}`), "utf8");
  const glue = adaptGlue(read("mjs"), { threads });
  writeFileSync(join(folder, `scorer.${name}.mjs`), glue);
  const names = [`scorer.${name}.mjs`, `scorer.${name}.wasm`];
  if (threads) {
    const own = existsSync(join(work, `scorer.${name}.worker.js`)) ? read("worker.js") : undefined;
    names.push(`scorer.${name}.worker.mjs`);
    writeFileSync(join(folder, `scorer.${name}.worker.mjs`), adaptWorker(own, glue));
  }
  log(`scorer.${name}: shrinking`);
  await shrink(context, relaxed, join(work, `scorer.${name}.wasm`), join(folder, `scorer.${name}.wasm`));
  rmSync(work, { recursive: true });
  return Object.fromEntries(names.map((file) => [file, describe(join(folder, file), log)]));
}

async function shrink({ emscripten, relaxedSimd }, relaxed, from, to) {
  const newer = atLeast(emscripten.numbers, [3, 1, 50]) ? ["reference-types", "multivalue"] : [];
  const features = [...FEATURES, ...newer, ...(relaxed ? ["relaxed-simd"] : [])];
  const drafts = relaxed && relaxedSimd.drafts;
  if (drafts) writeFileSync(from, toDraft(readFileSync(from)));
  const flags = [...SHRINK, ...features.map((feature) => `--enable-${feature}`)];
  await run(emscripten.wasmOpt, [...flags, from, "-o", to], { env: emscripten.env });
  if (drafts) writeFileSync(to, fromDraft(readFileSync(to)));
}

/**
 * LLVM 14 lets code find out about a caught exception through an ordinary variable, while its library for threads has that variable
 * in each thread: every exception is then of an unknown type. The library's file is compiled anew with an ordinary variable, which is
 * safe here, since only the thread that calls the scorer throws. Later releases agree on a variable in each thread.
 */
async function compileUnwinder({ emscripten, objects }) {
  if (atLeast(emscripten.numbers, [3, 1, 10])) return [];
  const source = join(emscripten.root, "system/lib/libunwind");
  const object = join(objects, "scorer", `unwinder-${emscripten.version}.o`);
  if (existsSync(object)) return [object];
  const defines = [
    "-D__USING_WASM_EXCEPTIONS__",
    "-D_LIBUNWIND_DISABLE_VISIBILITY_ANNOTATIONS",
    "-DNDEBUG",
    "-D_Thread_local=",
  ];
  const includes = [`-I${join(source, "include")}`, `-I${join(source, "src")}`];
  const temporary = `${object}.tmp-${process.pid}`;
  await run(
    "emcc",
    ["-O2", "-pthread", EXCEPTIONS, ...defines, ...includes, "-c", join(source, "src/Unwind-wasm.c"), "-o", temporary],
    {
      env: emscripten.env,
    },
  );
  renameSync(temporary, object);
  return [object];
}

function describe(path, log) {
  const bytes = readFileSync(path);
  const brotliBytes = brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  }).length;
  if (path.endsWith(".wasm")) {
    log(`${basename(path)}: ${bytes.length} bytes, ${brotliBytes} in brotli`);
    if (brotliBytes > MAX_BROTLI_BYTES) {
      throw new Error(
        `${basename(path)} has ${brotliBytes} bytes in brotli, more than the ${MAX_BROTLI_BYTES} allowed`,
      );
    }
  }
  return { bytes: bytes.length, brotliBytes, sha256: sha256(bytes) };
}

/** A small module for test/quantizer.test.mjs: llama.cpp's own functions, as this build compiled them. */
async function linkQuantizerTest({ emscripten, objects, folder }, test) {
  const libraries = LIBRARIES.slice(1).map((path) => join(objects, path));
  const exported = "-sEXPORTED_FUNCTIONS=_malloc,_free";
  const flags = ["-O1", "-msimd128", EXCEPTIONS, "-sSTANDALONE_WASM=1", "--no-entry", exported];
  const to = join(folder, TESTS, "quantizer.wasm");
  await run("em++", [...flags, ...test, ...libraries, "-o", to], { env: emscripten.env });
}

/** A program for test/kernels.test.mjs: what the kernels of a variant compute. */
async function linkKernelTest({ emscripten, relaxedSimd, folder }, { name, threads, relaxed }, parts, libraries) {
  const flags = [
    ...["-O1", "-msimd128", EXCEPTIONS, "-sALLOW_MEMORY_GROWTH=1", "-sINITIAL_MEMORY=64MB", "-sMAXIMUM_MEMORY=4GB"],
    ...["-sWASM_BIGINT=1", "-sMODULARIZE=1", "-sEXPORT_NAME=optioKernels", "-sENVIRONMENT=node,worker"],
    ...["-sEXPORTED_FUNCTIONS=_malloc,_free", "-sEXPORTED_RUNTIME_METHODS=HEAPU8,PThread"],
    ...(threads ? ["-pthread", "-sPTHREAD_POOL_SIZE=3", "-Wno-pthreads-mem-growth"] : []),
  ];
  const to = join(folder, TESTS, `kernels.${name}.cjs`);
  const { env } = relaxed ? relaxedSimd : emscripten;
  await run("em++", [...flags, ...parts, ...libraries.slice(1), "-o", to], { env });
}

/** Copies what is not there yet; the manifest goes last, so that an interrupted copy is done again. */
function install(finished) {
  const text = readFileSync(join(finished, "manifest.json"), "utf8");
  const { files } = JSON.parse(text);
  const manifest = join(outputFolder, "manifest.json");
  const tests = readdirSync(join(finished, TESTS));
  const whole =
    Object.entries(files).every(([name, { bytes }]) => sizeOf(join(outputFolder, name)) === bytes) &&
    tests.every((name) => sizeOf(join(testFolder, name)) === sizeOf(join(finished, TESTS, name)));
  if (whole && existsSync(manifest) && readFileSync(manifest, "utf8") === text) return false;
  mkdirSync(outputFolder, { recursive: true });
  mkdirSync(testFolder, { recursive: true });
  rmSync(manifest, { force: true });
  for (const name of Object.keys(files)) place(join(finished, name), join(outputFolder, name));
  for (const name of tests) place(join(finished, TESTS, name), join(testFolder, name));
  writeAtomically(manifest, text);
  return true;
}

function place(from, to) {
  const temporary = `${to}.tmp-${process.pid}`;
  copyFileSync(from, temporary);
  renameSync(temporary, to);
}

function sizeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.size ?? -1;
}
