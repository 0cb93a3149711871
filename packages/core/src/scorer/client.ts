import { wrap } from "comlink";
import { untilAborted } from "../call.js";
import { OptioError } from "../errors.js";
import { protocolVersion } from "./frame.js";
import { type Outcome, unwrap } from "./outcome.js";
import type { Hello, Loaded } from "./protocol.js";
import { type RestartingScorerOptions, type ScorerSession, startRestartingScorer } from "./restarting-scorer.js";
import type { CallOptions, ScoreOptions, ScorePlan, ScoreResult, Scorer, ScorerInfo, TokenizeText } from "./scorer.js";
import {
  isWorkerNotice,
  type LoadRequest,
  type ScorerWorkerApi,
  type StartRequest,
  type WorkerNotice,
} from "./worker-api.js";
import type { WorkerHandle } from "./worker-handle.js";

export interface WorkerScorerOptions extends Omit<RestartingScorerOptions, "startSession"> {
  readonly spawn: () => WorkerHandle;
  readonly start: Omit<StartRequest, "abortFlag">;
  readonly load: LoadRequest;
  /** Milliseconds within which a new worker must say that it is ready. Default 30,000. */
  readonly readyTimeoutMs?: number;
}

/** Milliseconds that a worker with an abort flag may take to notice it before it is replaced. */
const abortGraceMs = 5_000;

/** Starts a worker and loads the model in it. The scorer survives the worker. */
export function startWorkerScorer(options: WorkerScorerOptions): Promise<Scorer> {
  return startRestartingScorer({ ...options, startSession: () => new WorkerSession(options) });
}

/** One worker from its start to its end. */
class WorkerSession implements ScorerSession {
  readonly #options: WorkerScorerOptions;
  readonly #worker: WorkerHandle;
  readonly #api: ScorerWorkerApi;
  readonly #abortFlag: SharedArrayBuffer | undefined;
  readonly #ready: Promise<void>;
  readonly #death = new AbortController();
  #onNotice: ((notice: WorkerNotice) => void) | undefined;
  #isReady = false;
  #loadMs = 0;

  constructor(options: WorkerScorerOptions) {
    const worker = options.spawn();
    this.#options = options;
    this.#worker = worker;
    this.#abortFlag = typeof SharedArrayBuffer === "function" ? new SharedArrayBuffer(4) : undefined;
    this.#ready = new Promise((resolve, reject) => {
      this.#onNotice = (notice) => {
        if (notice.optio === "failed") reject(new OptioError("engine_start_failed", notice.message));
        if (notice.optio !== "ready") return;
        this.#isReady = true;
        if (notice.protocol === protocolVersion) resolve();
        else reject(new OptioError("protocol_mismatch", `The worker speaks protocol ${notice.protocol}.`));
      };
    });
    worker.endpoint.addEventListener("message", (event) => {
      const data: unknown = "data" in event ? event.data : undefined;
      if (isWorkerNotice(data)) this.#onNotice?.(data);
    });
    worker.onDeath((reason) => {
      const code = this.#isReady ? "engine_crashed" : "engine_start_failed";
      void this.end(new OptioError(code, `The scorer's worker stopped: ${reason}`));
    });
    // Every method answers with a promise already, so the remote side has the very same type.
    this.#api = wrap<ScorerWorkerApi>(worker.endpoint) as unknown as ScorerWorkerApi;
    this.#worker.keepAlive(false);
  }

  get ended(): boolean {
    return this.#death.signal.aborted;
  }

  /** Rejects whatever is pending and stops the worker. Safe to call again. */
  async end(reason: unknown): Promise<void> {
    if (this.ended) return;
    this.#death.abort(reason);
    this.#worker.terminate();
  }

  async open(signal: AbortSignal | undefined, onLoadProgress?: (fraction: number) => void): Promise<ScorerInfo> {
    const { start, load, readyTimeoutMs = 30_000 } = this.#options;
    // A load cannot be interrupted from outside: an abort ends the worker.
    const onAbort = () => this.end(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#worker.keepAlive(true);
    const started = performance.now();
    try {
      await this.#whileAlive(withinMs(this.#ready, readyTimeoutMs));
      const abortFlag = this.#abortFlag === undefined ? {} : { abortFlag: this.#abortFlag };
      const starting = withinMs(this.#api.start({ ...start, ...abortFlag }), readyTimeoutMs);
      const hello: Hello = unwrap(await this.#whileAlive(starting));
      this.#onNotice = (notice) => {
        if (notice.optio === "load-progress") onLoadProgress?.(notice.fraction);
      };
      const loaded: Loaded = unwrap(await this.#whileAlive(this.#api.load(load)));
      this.#loadMs = performance.now() - started;
      const { llamaRelease, target } = hello;
      return { target, variant: start.variant, threads: loaded.threads, llamaRelease, model: loaded.model };
    } finally {
      this.#onNotice = undefined;
      this.#worker.keepAlive(false);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  tokenize(texts: readonly TokenizeText[], options: CallOptions): Promise<readonly Int32Array[]> {
    return this.#call(options.signal, (api) => api.tokenize(texts));
  }

  score(plan: ScorePlan, options: ScoreOptions): Promise<ScoreResult> {
    const { reuse = true, timeoutMs, onProgress } = options;
    const deadlineMs = timeoutMs !== undefined && Number.isFinite(timeoutMs) ? timeoutMs : 0;
    const onNotice = (notice: WorkerNotice) => {
      if (notice.optio === "score-progress") onProgress?.(notice.progress);
    };
    return this.#call(options.signal, (api) => api.score({ plan, reuse, deadlineMs }), onNotice);
  }

  pieces(tokens: Int32Array, options: CallOptions): Promise<readonly Uint8Array[]> {
    return this.#call(options.signal, (api) => api.pieces(tokens));
  }

  hidden(tokens: Int32Array, positions: Int32Array, options: CallOptions): Promise<readonly Float32Array[]> {
    return this.#call(options.signal, (api) => api.hidden(tokens, positions));
  }

  async forget(): Promise<void> {
    await this.#call(undefined, (api) => api.forget());
  }

  async #call<T>(
    signal: AbortSignal | undefined,
    work: (api: ScorerWorkerApi) => Promise<Outcome<T>>,
    onNotice?: (notice: WorkerNotice) => void,
  ): Promise<T> {
    let replace: ReturnType<typeof setTimeout> | undefined;
    const onAbort = () => {
      this.#raiseAbortFlag(1);
      if (this.#abortFlag === undefined) void this.#api.cancel();
      // Where no memory is shared the worker only listens between batches: waiting must not cost more than a reload.
      const graceMs = this.#abortFlag === undefined ? Math.max(100, this.#loadMs) : abortGraceMs;
      replace = setTimeout(() => this.end(signal?.reason), graceMs);
    };
    this.#raiseAbortFlag(0);
    this.#onNotice = onNotice;
    this.#worker.keepAlive(true);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return unwrap(await this.#whileAlive(work(this.#api)));
    } finally {
      clearTimeout(replace);
      signal?.removeEventListener("abort", onAbort);
      this.#onNotice = undefined;
      this.#worker.keepAlive(false);
    }
  }

  #raiseAbortFlag(value: 0 | 1): void {
    if (this.#abortFlag !== undefined) Atomics.store(new Int32Array(this.#abortFlag), 0, value);
  }

  /** Comlink's calls never settle when the other side is gone. */
  #whileAlive<T>(work: Promise<T>): Promise<T> {
    return untilAborted(work, this.#death.signal);
  }
}

function withinMs<T>(work: Promise<T>, limitMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new OptioError("engine_start_failed", `The scorer's worker was not ready within ${limitMs} ms.`)),
      limitMs,
    );
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
