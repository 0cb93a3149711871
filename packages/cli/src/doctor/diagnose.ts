import { hasRelaxedSimd, hasThreads } from "@optio/core";
import { formatBytes } from "../output/byte-size.js";
import type { Check, Diagnosis } from "./check.js";
import { checkArtefacts, checkNative, checkRuntime, checkWasmSupport, usableVariants } from "./engine-checks.js";
import { checkCache, checkCpu, checkMemory } from "./machine-checks.js";
import type { DoctorProbes } from "./probes.js";

/** What the store says about models, as far as the diagnosis needs it. */
export interface ModelFacts {
  /** The model that is used when none is named. */
  readonly usual: { readonly id: string; readonly bytes: number };
  readonly stored: readonly { readonly id: string; readonly bytes: number }[];
}

/** Looks at everything and says which engines can decide. */
export async function diagnose(probes: DoctorProbes, models: ModelFacts): Promise<Diagnosis> {
  const [cpu, artefacts, native, cache] = await Promise.all([
    probes.cpu(),
    probes.artefacts(),
    probes.native(),
    probes.cache(),
  ]);
  const wasm = probes.wasm();
  const runtime = checkRuntime(probes.runtime());
  const isStored = models.stored.some(({ id }) => id === models.usual.id);

  const checks = [
    runtime,
    checkCpu(cpu),
    checkMemory(probes.memory(), models.usual.id, models.usual.bytes),
    checkWasmSupport(wasm),
    checkArtefacts(artefacts),
    checkNative(native),
    checkCache(cache, isStored ? 0 : models.usual.bytes),
    checkModels(models),
  ];

  const variants = usableVariants(artefacts.files).filter(
    (variant) => (wasm.threads || !hasThreads(variant)) && (wasm.relaxedSimd || !hasRelaxedSimd(variant)),
  );
  const wasmDecides = wasm.simd && variants.length > 0;
  const usable = runtime.status === "ok" && (cache.writable || models.stored.length > 0);
  return {
    checks,
    engines: usable
      ? [...(wasmDecides ? (["wasm"] as const) : []), ...(native.state === "running" ? (["native"] as const) : [])]
      : [],
  };
}

function checkModels({ usual, stored }: ModelFacts): Check {
  const base = { id: "models", title: "Models here" };
  const found =
    stored.length === 0 ? "none" : stored.map(({ id, bytes }) => `${id} (${formatBytes(bytes)})`).join(", ");
  if (stored.some(({ id }) => id === usual.id)) return { ...base, status: "ok", found };
  return {
    ...base,
    status: "warning",
    found,
    why: `The default model, ${usual.id}, is not here yet (${formatBytes(usual.bytes)}).`,
    todo: `\`optio models pull ${usual.id}\` downloads it; --model names another.`,
  };
}
