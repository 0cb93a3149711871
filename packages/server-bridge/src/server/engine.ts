import { type EngineSource, OptioError, wasm } from "@optio/core";
import type { Logger } from "pino";
import { native } from "../native/native.js";
import { findNativeProgram } from "../native/native-program.js";
import type { ServeConfig } from "./config.js";

/** What computes for a server. What `auto` chose is logged, and stands in every receipt. */
export function serverEngine(config: ServeConfig, log: Logger): EngineSource {
  const { model, threads, contextTokens, gpuLayers } = config;
  const options = {
    ...(model === undefined ? {} : { model }),
    ...(threads === undefined ? {} : { threads }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
  };
  if (engineKindOf(config, log) === "native") return native({ ...options, gpuLayers });
  if (gpuLayers === 0 || gpuLayers === "auto") return wasm(options);
  throw new OptioError("engine_unavailable", "The wasm engine has no graphics card.", {
    hint: "Leave `gpuLayers` out, or choose the native engine.",
  });
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
