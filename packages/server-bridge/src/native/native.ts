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
  oneOf,
  options as optionsOf,
  whole,
} from "@optio/core/engines";
import { findGpuLibraries, type GpuKind, gpuKinds, linkedLibraries, noGpuLibraries } from "./gpu-libraries.js";
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
  /**
   * Layers to keep on a graphics card: a number from 0, `all`, or `auto`: all where there is a card and its libraries are installed.
   * Default 0. The libraries are optional packages: `@node-llama-cpp/linux-x64-cuda` or `-vulkan`, 3.21.1.
   */
  readonly gpuLayers?: number | "all" | "auto";
  /** Which of them; by default whichever is installed, CUDA first. */
  readonly gpu?: GpuKind;
}

/** More than any model has. */
const allLayers = 10_000;

const nativeOptions = optionsOf({
  ...localEngineFields,
  threads: whole(1, 512),
  gpuLayers: whole(0, allLayers).or(oneOf(["all", "auto"])),
  gpu: oneOf(gpuKinds),
});

/**
 * The engine that runs llama.cpp natively, as a child process. Linux on x64, on the processor or a graphics card.
 *
 * @throws OptioError `invalid_setting`
 */
export function native(options: NativeOptions = {}): EngineSource {
  checkOptions(nativeOptions, options);
  return { kind: "native", start: (start) => startNative(options, start) };
}

async function startNative(options: NativeOptions, { signal, onProgress }: EngineStartOptions): Promise<Engine> {
  const { gpuLayers = 0, gpu } = options;
  const program = findNativeProgram();
  const libraries = gpuLayers === 0 ? undefined : findGpuLibraries(gpu);
  if (libraries === undefined && gpuLayers !== 0 && gpuLayers !== "auto") throw noGpuLibraries(gpu);

  const control = signal === undefined ? {} : { signal };
  const store = options.store ?? createModelStore();
  const stored = await store.get(options.model, { ...control, ...(onProgress === undefined ? {} : { onProgress }) });
  if (stored.file.kind !== "path") {
    throw new OptioError("engine_unavailable", "The native engine needs a model that lies in a file.");
  }
  const model = localModel(stored, options);
  const load = {
    path: stored.file.path,
    threads: options.threads ?? availableParallelism(),
    contextTokens: model.contextTokens,
  };
  const start = { load, onLoadProgress: (fraction: number) => onProgress?.({ phase: "load", fraction }), ...control };
  if (libraries !== undefined) {
    const onCard = { ...load, gpuLayers: typeof gpuLayers === "number" ? gpuLayers : allLayers };
    const withCard = findNativeProgram(linkedLibraries(libraries));
    const scorer = await startNativeScorer({ ...start, program: withCard, load: onCard });
    if (!scorer.info.variant.startsWith("cpu")) return createLocalEngine({ kind: "native", scorer, model });
    await scorer.close();
    if (gpuLayers !== "auto") throw noCard(libraries);
  }
  const scorer = await startNativeScorer({ ...start, program });
  return createLocalEngine({ kind: "native", scorer, model });
}

/** The libraries are there, and find nothing to compute on. */
function noCard(libraries: string): OptioError {
  return new OptioError("engine_unavailable", `The libraries in ${libraries} find no graphics card.`, {
    hint: "Check the card's driver, or leave `gpuLayers` out.",
  });
}
