import { type WasmVariant, wasmVariants } from "@optio/core";
import type { Check } from "./check.js";
import type { ArtefactFacts, NativeFacts, RuntimeFacts, WasmFacts } from "./probes.js";

/** Oldest Node that the packages support. */
const oldestNode = [20, 19] as const;

const rebuild = "Run `npm start` in the repository, or install the package again.";

export function checkRuntime({ node, platform, arch }: RuntimeFacts): Check {
  const [major = 0, minor = 0] = node.split(".").map(Number);
  const old = major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1]);
  const base = { id: "node", title: "Node", found: `${node} on ${platform} ${arch}` };
  if (!old) return { ...base, status: "ok" };
  return {
    ...base,
    status: "no",
    why: `optio needs Node ${oldestNode.join(".")} or later.`,
    todo: "Install a current Node from nodejs.org or your system's packages.",
  };
}

export function checkWasmSupport({ simd, relaxedSimd, threads }: WasmFacts): Check {
  const base = { id: "wasm-support", title: "WebAssembly" };
  if (!simd) {
    return {
      ...base,
      status: "no",
      found: "no SIMD",
      why: "This runtime was built without WebAssembly SIMD, which the scorer is made of.",
      todo: "Use an official build of Node 20 or later.",
    };
  }
  const instructions = relaxedSimd ? "relaxed SIMD" : "SIMD";
  if (threads) return { ...base, status: "ok", found: `${instructions} and threads` };
  return {
    ...base,
    status: "warning",
    found: `${instructions}, no threads`,
    why: "Memory cannot be shared between threads here.",
    todo: "Decisions run on one thread; an official build of Node has threads.",
  };
}

export function checkArtefacts({ folder, files, built }: ArtefactFacts): Check {
  const base = { id: "wasm-files", title: "WebAssembly scorer" };
  const bad = files.filter(({ state }) => state === "missing" || state === "changed");
  const usable = usableVariants(files);
  const found = `${usable.length === 0 ? "none usable" : usable.join(" and ")}${built === undefined ? "" : `, ${built}`}`;
  if (bad.length > 0) {
    const list = bad
      .map(({ name, state }) => `${name} ${state === "missing" ? "is missing" : "differs from the manifest"}`)
      .join(", ");
    return {
      ...base,
      status: usable.length === 0 ? "no" : "warning",
      found,
      why: `In ${folder}: ${list}.`,
      todo: rebuild,
    };
  }
  if (files.some(({ state }) => state === "unlisted")) {
    return {
      ...base,
      status: "warning",
      found,
      why: `${folder} has no manifest, so the files could not be checked.`,
      todo: rebuild,
    };
  }
  return { ...base, status: "ok", found };
}

/** The variants of which every file is there and as it was built. */
export function usableVariants(files: ArtefactFacts["files"]): WasmVariant[] {
  return wasmVariants.filter((variant) => {
    const own = files.filter((file) => file.variant === variant);
    return own.length > 0 && own.every(({ state }) => state === "good" || state === "unlisted");
  });
}

export function checkNative(facts: NativeFacts): Check {
  const base = { id: "native", title: "Native program" };
  if (facts.state === "running")
    return { ...base, status: "ok", found: `${facts.backend}, llama.cpp ${facts.llamaRelease}` };
  // Never `no`: the WebAssembly engine does without it.
  return { ...base, status: "warning", found: "not usable", why: facts.why, todo: facts.todo };
}
