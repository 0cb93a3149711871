import { createModelStore, wasm } from "@optio/core";
import { startOptio } from "../subjects/optio-workload.mjs";

/** @param {string} model */
export async function store(model) {
  await createModelStore().get(model);
}

/** @param {{ model: string, threads: number, contextTokens: number, variant: string }} settings */
export async function start({ model, threads, contextTokens, variant }) {
  const chosen = /** @type {import("@optio/core").WasmVariant} */ (variant);
  const { info, loadMs, measure } = await startOptio(wasm({ model, threads, contextTokens, variant: chosen }));
  return { facts: { backend: info.backend, threads: info.threads ?? 1 }, loadMs, measure };
}
