import { availableParallelism } from "node:os";
import { createModelStore, type ModelStore, OptioError, type PromptProfile } from "@optio/core";
import {
  checkOptions,
  createLocalEngine,
  type Engine,
  type EngineSource,
  type EngineStartOptions,
  localEngineFields,
  localModel,
  options as optionsOf,
  whole,
} from "@optio/core/engines";
import { findNativeProgram } from "./native-program.js";
import { startNativeScorer } from "./native-scorer.js";

export interface NativeOptions {
  /** A catalogue id, a path, or the address of a GGUF. Default: the catalogue's default model. */
  readonly model?: string;
  /** 1 to 512. Default: the logical processors. */
  readonly threads?: number;
  /** Tokens that state and question may take together, 64 to 1,048,576. Default: the catalogue's figure, else at most 4,096. */
  readonly contextTokens?: number;
  /** Wording of the prompt. Default: the catalogue's for this model. */
  readonly profile?: PromptProfile;
  readonly store?: ModelStore;
}

const nativeOptions = optionsOf({ ...localEngineFields, threads: whole(1, 512) });

/**
 * The engine that runs llama.cpp natively, as a child process. Linux on x64, CPU.
 *
 * @throws OptioError `invalid_setting`
 */
export function native(options: NativeOptions = {}): EngineSource {
  checkOptions(nativeOptions, options);
  return { kind: "native", start: (start) => startNative(options, start) };
}

async function startNative(options: NativeOptions, { signal, onProgress }: EngineStartOptions): Promise<Engine> {
  const program = findNativeProgram();
  const control = signal === undefined ? {} : { signal };
  const store = options.store ?? createModelStore();
  const stored = await store.get(options.model, { ...control, ...(onProgress === undefined ? {} : { onProgress }) });
  if (stored.file.kind !== "path") {
    throw new OptioError("engine_unavailable", "The native engine needs a model that lies in a file.");
  }
  const model = localModel(stored, options);
  const scorer = await startNativeScorer({
    program,
    load: {
      path: stored.file.path,
      threads: options.threads ?? availableParallelism(),
      contextTokens: model.contextTokens,
    },
    onLoadProgress: (fraction) => onProgress?.({ phase: "load", fraction }),
    ...control,
  });
  return createLocalEngine({ kind: "native", scorer, model });
}
