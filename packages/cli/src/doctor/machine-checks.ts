import { formatBytes } from "../output/byte-size.js";
import type { Check } from "./check.js";
import type { CacheFacts, CpuFacts, MemoryFacts } from "./probes.js";

/** What decides how fast the native kernels are, in the order in which they are shown. */
export const cpuFeatures = [
  "sse4_2",
  "avx",
  "avx2",
  "fma",
  "f16c",
  "avx512f",
  "avx512_vnni",
  "avx_vnni",
  "amx_int8",
  "asimd",
  "asimddp",
  "i8mm",
  "sve",
] as const;

/** What a model needs beside its weights: caches, buffers and the runtime. */
const overheadBytes = 500_000_000;

export function checkCpu({ model, processors, features }: CpuFacts): Check {
  const base = { id: "cpu", title: "Processor" };
  const known =
    features === undefined ? "" : `; ${features.length === 0 ? "no vector instructions" : features.join(", ")}`;
  const found = `${model}, ${processors} logical processor${processors === 1 ? "" : "s"}${known}`;
  const slow = features !== undefined && !features.includes("avx2") && !features.includes("asimd");
  if (!slow) return { ...base, status: "ok", found };
  return {
    ...base,
    status: "warning",
    found,
    why: "The processor has neither AVX2 nor NEON, so that a decision takes several times as long.",
    todo: "Use a small model, or another machine for large ones.",
  };
}

/** @param modelBytes size of the model that would be used. */
export function checkMemory({ totalBytes, availableBytes }: MemoryFacts, modelId: string, modelBytes: number): Check {
  const base = {
    id: "memory",
    title: "Memory",
    found: `${formatBytes(availableBytes)} free of ${formatBytes(totalBytes)}`,
  };
  const needed = modelBytes + overheadBytes;
  if (availableBytes >= needed) return { ...base, status: "ok" };
  return {
    ...base,
    status: "warning",
    why: `${modelId} takes about ${formatBytes(needed)}.`,
    todo: "Close other programs, or choose a smaller model with --model.",
  };
}

/** @param wantedBytes what is still to be downloaded for the default model; 0 when it is here. */
export function checkCache({ folder, writable, freeBytes, why }: CacheFacts, wantedBytes: number): Check {
  const base = { id: "cache", title: "Model folder" };
  const free = freeBytes === undefined ? "" : `, ${formatBytes(freeBytes)} free`;
  const found = `${folder}${free}`;
  if (!writable) {
    return {
      ...base,
      status: "no",
      found,
      why: why ?? "The folder cannot be written.",
      todo: "Correct its permissions, or set OPTIO_CACHE to a folder that can be written.",
    };
  }
  if (freeBytes !== undefined && freeBytes < wantedBytes) {
    return {
      ...base,
      status: "warning",
      found,
      why: `The default model needs another ${formatBytes(wantedBytes)}.`,
      todo: "Free some space, remove models with `optio models remove`, or set OPTIO_CACHE to another disk.",
    };
  }
  return { ...base, status: "ok", found };
}
