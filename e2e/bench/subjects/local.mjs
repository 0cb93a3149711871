import { wasm } from "@optio/core";
import { native } from "@optio/server-bridge";
import { startOptio } from "./optio-workload.mjs";

/** @param {{ engine: "wasm" | "native", model: string, threads: number }} options */
export async function startInNode({ engine, model, threads }) {
  const source =
    engine === "wasm" ? wasm({ model, threads, contextTokens: 2048 }) : native({ model, threads, contextTokens: 2048 });
  const subject = await startOptio(source);
  return {
    label: `${subject.info.backend}, ${threads} threads`,
    version: "",
    prefixTokens: await subject.prefixTokens(),
    decide: subject.decide,
    close: subject.close,
  };
}
