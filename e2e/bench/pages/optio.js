import { wasm } from "@optio/core";
import { startOptio } from "../subjects/optio-workload.mjs";

/** @param {{ model: string, threads: number }} options */
export async function start({ model, threads }) {
  const subject = await startOptio(wasm({ model, threads, contextTokens: 2048 }));
  return {
    label: `${subject.info.backend}, ${subject.info.threads} threads`,
    version: "",
    decide: subject.decide,
    prefixTokens: subject.prefixTokens,
  };
}
