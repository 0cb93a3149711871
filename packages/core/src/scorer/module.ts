import { OptioError } from "../errors.js";
import type { WasmVariant } from "./variant.js";
import type { ModuleAssets } from "./worker-api.js";

/** How a platform fetches and compiles the parts of a module. */
export interface ModuleLoader {
  compile(address: string): Promise<WebAssembly.Module>;
  importGlue(address: string): Promise<unknown>;
  /** A worker for one thread of the module; it lives until its parent does. */
  createThread(address: string): unknown;
}

/** What the module asks its host during a call; see `wasm/PROTOCOL.md`. */
export interface ModuleHost {
  /** Fills `destination` from byte `offset` of the model; bytes read, negative on failure. */
  read(destination: Uint8Array, offset: number): number;
  emit(frame: Uint8Array): void;
  aborted(): boolean;
}

/** A running scorer module: one frame in, one frame out. */
export interface ScorerModule {
  /** @throws whatever the module traps with; it must not be called again after that. */
  call(frame: Uint8Array): Uint8Array;
}

interface EmscriptenModule {
  /** The heap as it is now: memory that grows is another buffer, so this is read anew after each call. */
  readonly HEAPU8: Uint8Array;
  _optio_alloc(bytes: number): number;
  _optio_free(pointer: number): void;
  _optio_call(pointer: number, bytes: number): number;
  _optio_answer(): number;
  _optio_answer_bytes(): number;
}

type EmscriptenFactory = (options: Record<string, unknown>) => Promise<EmscriptenModule>;

export interface ModuleRequest {
  readonly variant: WasmVariant;
  readonly threads: number;
  readonly assets: ModuleAssets;
}

/** @throws OptioError `engine_start_failed` when a part cannot be had or does not run here. */
export async function createScorerModule(
  loader: ModuleLoader,
  { variant, threads, assets }: ModuleRequest,
  host: ModuleHost,
): Promise<ScorerModule> {
  const threadScript = assets.thread ?? assets.glue;
  try {
    const [glue, compiled] = await Promise.all([loader.importGlue(assets.glue), loader.compile(assets.wasm)]);
    const create = factoryOf(glue);
    const module = await instantiated((fail) =>
      create({
        // The module is ready only once its pool is, and a pool of none never is.
        pthreadPoolSize: Math.max(1, threads - 1),
        createThread: () => loader.createThread(threadScript),
        instantiateWasm: (
          imports: WebAssembly.Imports,
          done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
        ) => {
          WebAssembly.instantiate(compiled, imports).then((instance) => done(instance, compiled), fail);
          return {};
        },
        // What llama.cpp says about a failure is part of the error; a console is not ours to write to.
        print: () => undefined,
        printErr: () => undefined,
        optioRead: (destination: Uint8Array, offset: number) => host.read(destination, offset),
        optioEmit: (frame: Uint8Array) => host.emit(frame),
        optioAborted: () => host.aborted(),
        onAbort: fail,
      }),
    );
    return { call: (frame) => callModule(module, frame) };
  } catch (cause) {
    if (OptioError.isInstance(cause)) throw cause;
    throw new OptioError("engine_start_failed", `The ${variant} build did not start: ${messageOf(cause)}`, { cause });
  }
}

/** A failure inside `instantiateWasm` would otherwise leave the factory's promise pending for ever. */
function instantiated(
  start: (fail: (reason: unknown) => void) => Promise<EmscriptenModule>,
): Promise<EmscriptenModule> {
  return new Promise((resolve, reject) => {
    start(reject).then(resolve, reject);
  });
}

function callModule(module: EmscriptenModule, frame: Uint8Array): Uint8Array {
  const pointer = module._optio_alloc(frame.length) >>> 0;
  if (pointer === 0) {
    throw new OptioError("out_of_memory", `The scorer has no room for a message of ${frame.length} bytes.`);
  }
  module.HEAPU8.set(frame, pointer);
  try {
    module._optio_call(pointer, frame.length);
  } finally {
    module._optio_free(pointer);
  }
  const start = module._optio_answer() >>> 0;
  // Copied into memory of its own: shared memory cannot be decoded as text nor posted.
  return Uint8Array.from(module.HEAPU8.subarray(start, start + (module._optio_answer_bytes() >>> 0)));
}

function factoryOf(glue: unknown): EmscriptenFactory {
  if (typeof glue === "object" && glue !== null && "default" in glue && typeof glue.default === "function") {
    return glue.default as EmscriptenFactory;
  }
  throw new OptioError("engine_start_failed", "The scorer's script has no default export.");
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
