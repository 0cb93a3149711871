import type { ModelFile } from "../store/model-file.js";
import type { Outcome } from "./outcome.js";
import type { Hello, Loaded, LoadSettings } from "./protocol.js";
import type { ScorePlan, ScoreProgress, ScoreResult, TokenizeText } from "./scorer.js";
import type { WasmVariant } from "./variant.js";

/** What a scorer worker offers; comlink carries the calls. One call at a time. */
export interface ScorerWorkerApi {
  /** Compiles the module and shakes hands with it. */
  start(request: StartRequest): Promise<Outcome<Hello>>;
  load(request: LoadRequest): Promise<Outcome<Loaded>>;
  tokenize(texts: readonly TokenizeText[]): Promise<Outcome<readonly Int32Array[]>>;
  score(request: WorkerScoreRequest): Promise<Outcome<ScoreResult>>;
  pieces(tokens: Int32Array): Promise<Outcome<readonly Uint8Array[]>>;
  hidden(tokens: Int32Array, positions: Int32Array): Promise<Outcome<readonly Float32Array[]>>;
  forget(): Promise<Outcome<undefined>>;
  /** Ends the running call at its next batch; only needed where no memory can be shared. */
  cancel(): Promise<void>;
}

/** Where the files of one build are. */
export interface ModuleAssets {
  /** The ES module that emscripten wrote. */
  readonly glue: string;
  readonly wasm: string;
  /** The script of a thread's worker; threaded builds only. */
  readonly thread?: string;
}

export interface StartRequest {
  readonly variant: WasmVariant;
  readonly threads: number;
  readonly assets: ModuleAssets;
  /** One 32-bit number in shared memory: not 0 means "stop". Without it, calls stop after each batch to listen. */
  readonly abortFlag?: SharedArrayBuffer;
}

export interface LoadRequest {
  readonly file: ModelFile;
  readonly settings: Omit<LoadSettings, "path" | "sizeBytes" | "threads">;
}

export interface WorkerScoreRequest {
  readonly plan: ScorePlan;
  readonly reuse: boolean;
  /** Milliseconds from now; 0 for none. */
  readonly deadlineMs: number;
}

/** What a worker says on its own, beside comlink's messages. */
export type WorkerNotice =
  /** Sent once, when calls can be made. `lock` is a Web Lock that is held for as long as the worker lives. */
  | { readonly optio: "ready"; readonly protocol: number; readonly lock?: string }
  | { readonly optio: "failed"; readonly message: string }
  | { readonly optio: "load-progress"; readonly fraction: number }
  | { readonly optio: "score-progress"; readonly progress: ScoreProgress };

export function isWorkerNotice(data: unknown): data is WorkerNotice {
  return typeof data === "object" && data !== null && "optio" in data;
}
