import { createModelStore, type EngineSource, OptioError, wasm } from "@optio/core";
import type { Logger } from "pino";
import { native } from "../native/native.js";
import { findNativeProgram } from "../native/native-program.js";
import type { ServeConfig } from "./config.js";
import type { ModelSource } from "./models.js";

/** The models that the settings name, the usual one first. What `auto` chose is logged, and stands in every receipt. */
export function serverModels(config: ServeConfig, log: Logger): readonly ModelSource[] {
  const kind = engineKindOf(config, log);
  const store = createModelStore();
  const references = [...new Set([config.model, ...config.models])];
  return references.map((model) => ({
    name: model ?? "default",
    engine: engineOf(kind, model, config),
    sizeBytes: async () => {
      const status = await store.status(model);
      return status.state === "stored" ? status.model.sizeBytes : (status.totalBytes ?? 0);
    },
  }));
}

function engineOf(kind: "native" | "wasm", model: string | undefined, config: ServeConfig): EngineSource {
  const { threads, contextTokens, gpuLayers } = config;
  const options = {
    ...(model === undefined ? {} : { model }),
    ...(threads === undefined ? {} : { threads }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
  };
  if (kind === "native") return native({ ...options, gpuLayers });
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
