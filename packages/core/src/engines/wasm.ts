import { createModelStore, moduleAssets, processors, spawnScorerWorker, threadsRun } from "#platform";
import { address, checkOptions, oneOf, options as optionsOf, whole } from "../check-options.js";
import type { PromptProfile } from "../prompt/profile.js";
import { startWorkerScorer } from "../scorer/client.js";
import { chooseVariant, detectFeatures, type WasmVariant, wasmVariants } from "../scorer/variant.js";
import type { ModuleAssets } from "../scorer/worker-api.js";
import type { ModelStore } from "../store/model-store.js";
import type { Engine, EngineSource, EngineStartOptions } from "./engine.js";
import { createLocalEngine, localEngineFields, localModel } from "./local.js";

export interface WasmOptions {
  /** A catalogue id, the address of a GGUF, or a path (Node, Deno, Bun). Default: the catalogue's default model. */
  readonly model?: string;
  /** Default: threads where memory can be shared, else one thread. */
  readonly variant?: WasmVariant;
  /** 1 to 64. Default: the logical processors, at most 8. */
  readonly threads?: number;
  /** Tokens that state and question may take together, 64 to 1,048,576. Default: the catalogue's figure, else at most 4,096. */
  readonly contextTokens?: number;
  /** Tokens evaluated at a time, 32 to 2,048. Default 256, or 128 where nothing but the end of a batch can stop a call. */
  readonly batchTokens?: number;
  /** Wording of the prompt. Default: the catalogue's for this model. */
  readonly profile?: PromptProfile;
  /** Where models are kept. Default: the user's cache folder, or the origin's private file system. */
  readonly store?: ModelStore;
  /** Addresses of the scorer's files, for pages whose bundler or policy wants them elsewhere. */
  readonly assets?: ModuleAssets;
  /** Address of the worker's script, likewise. */
  readonly worker?: string | URL;
}

const wasmOptions = optionsOf({
  ...localEngineFields,
  variant: oneOf(wasmVariants),
  threads: whole(1, 64),
  batchTokens: whole(32, 2_048),
  assets: optionsOf({ glue: address, wasm: address, thread: address }),
  worker: address,
});

/**
 * The engine that runs llama.cpp as WebAssembly: in a module worker of a browser, in a worker thread of Node, Deno and Bun.
 *
 * @throws OptioError `invalid_setting`
 */
export function wasm(options: WasmOptions = {}): EngineSource {
  checkOptions(wasmOptions, options);
  return { kind: "wasm", start: (start) => startWasm(options, start) };
}

async function startWasm(options: WasmOptions, { signal, onProgress }: EngineStartOptions): Promise<Engine> {
  const { variant, threads } = chooseVariant(detectFeatures(processors(), threadsRun), options);
  const control = signal === undefined ? {} : { signal };
  const progress = onProgress === undefined ? {} : { onProgress };

  const store = options.store ?? createModelStore();
  const stored = await store.get(options.model, { ...control, ...progress });
  const model = localModel(stored, options);
  const scorer = await startWorkerScorer({
    spawn: () => spawnScorerWorker(options.worker),
    start: { variant, threads, assets: options.assets ?? moduleAssets(variant) },
    load: {
      file: stored.file,
      settings: {
        contextTokens: model.contextTokens,
        batchTokens: options.batchTokens ?? (typeof SharedArrayBuffer === "function" ? 256 : 128),
      },
    },
    onLoadProgress: (fraction) => onProgress?.({ phase: "load", fraction }),
    ...control,
  });
  return createLocalEngine({ kind: "wasm", scorer, model });
}
