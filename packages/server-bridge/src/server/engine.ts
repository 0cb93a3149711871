import { type EngineSource, wasm } from "@optio/core";
import type { Logger } from "pino";
import { native } from "../native/native.js";
import { findNativeProgram } from "../native/native-program.js";
import type { ServeConfig } from "./config.js";

/** What computes for a server. What `auto` chose is logged, and stands in every receipt. */
export function serverEngine(config: ServeConfig, log: Logger): EngineSource {
  const { model, threads, contextTokens } = config;
  const options = {
    ...(model === undefined ? {} : { model }),
    ...(threads === undefined ? {} : { threads }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
  };
  return engineKindOf(config, log) === "native" ? native(options) : wasm(options);
}

function engineKindOf({ engine }: ServeConfig, log: Logger): "native" | "wasm" {
  if (engine !== "auto") return engine;
  try {
    findNativeProgram();
    return "native";
  } catch (error) {
    log.warn({ err: error }, "the wasm engine is used: there is no native one here");
    return "wasm";
  }
}
