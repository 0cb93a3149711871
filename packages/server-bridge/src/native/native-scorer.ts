import {
  bareRequest,
  type CallOptions,
  type FrameReader,
  helloRequest,
  hiddenRequest,
  type LoadSettings,
  loadRequest,
  Op,
  OptioError,
  piecesRequest,
  type RestartingScorerOptions,
  readHello,
  readHidden,
  readLoaded,
  readPieces,
  readScore,
  readTokens,
  type ScoreOptions,
  type ScorePlan,
  type ScoreResult,
  type Scorer,
  type ScorerInfo,
  type ScorerSession,
  scoreRequest,
  startRestartingScorer,
  type TokenizeText,
  tokenizeRequest,
} from "@optio/core/engines";
import type { NativeProgram } from "./native-program.js";
import { ScorerProcess } from "./scorer-process.js";

export interface NativeScorerOptions extends Omit<RestartingScorerOptions, "startSession"> {
  readonly program: NativeProgram;
  readonly load: LoadSettings & { readonly path: string };
  /** Milliseconds within which the program must answer its first message. Default 30,000. */
  readonly readyTimeoutMs?: number;
  /** Milliseconds without a sign of life from a program that has work, after which it is replaced. Default 120,000. */
  readonly silenceLimitMs?: number;
}

/** Milliseconds that the program may take to notice an abort before it is replaced. */
const abortGraceMs = 5_000;

/** Starts the native program and loads a model in it. The scorer survives the program. */
export function startNativeScorer(options: NativeScorerOptions): Promise<Scorer> {
  return startRestartingScorer({ ...options, startSession: () => new NativeSession(options) });
}

class NativeSession implements ScorerSession {
  readonly #options: NativeScorerOptions;
  readonly #child: ScorerProcess;

  constructor(options: NativeScorerOptions) {
    this.#options = options;
    this.#child = new ScorerProcess(options.program.path, options.program.environment);
  }

  get ended(): boolean {
    return this.#child.ended !== undefined;
  }

  async open(signal: AbortSignal | undefined, onLoadProgress?: (fraction: number) => void): Promise<ScorerInfo> {
    const { load, readyTimeoutMs = 30_000 } = this.#options;
    // Loading cannot be interrupted from outside: an abort ends the process.
    const onAbort = () => void this.end(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      signal?.throwIfAborted();
      const hello = readHello(
        await this.#answer(helloRequest, {
          limitMs: readyTimeoutMs,
          late: new OptioError("engine_start_failed", `The native scorer did not answer within ${readyTimeoutMs} ms.`),
        }),
      );
      const loaded = readLoaded(
        await this.#answer((id) => loadRequest(id, load), {
          onProgress: (payload) => onLoadProgress?.(payload.f32()),
        }),
      );
      const { target, variant, llamaRelease } = hello;
      return { target, variant, llamaRelease, threads: loaded.threads, model: loaded.model };
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw error;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  async tokenize(texts: readonly TokenizeText[], { signal }: CallOptions): Promise<readonly Int32Array[]> {
    return readTokens(await this.#call((id) => tokenizeRequest(id, texts), signal));
  }

  async score(plan: ScorePlan, options: ScoreOptions): Promise<ScoreResult> {
    const { reuse = true, timeoutMs, signal, onProgress } = options;
    const deadlineMs = timeoutMs !== undefined && Number.isFinite(timeoutMs) ? timeoutMs : 0;
    const answer = readScore(
      await this.#call(
        (id) => scoreRequest(id, { plan, reuse, deadlineMs, stepwise: false }),
        signal,
        (payload) => onProgress?.({ evaluatedTokens: payload.u32(), totalTokens: payload.u32() }),
      ),
      plan,
    );
    if (answer.done) return answer.result;
    throw new OptioError("protocol_mismatch", "The native scorer stopped half-way although it was not asked to.");
  }

  async pieces(tokens: Int32Array, { signal }: CallOptions): Promise<readonly Uint8Array[]> {
    return readPieces(await this.#call((id) => piecesRequest(id, tokens), signal));
  }

  async hidden(tokens: Int32Array, positions: Int32Array, { signal }: CallOptions): Promise<readonly Float32Array[]> {
    return readHidden(await this.#call((id) => hiddenRequest(id, tokens, positions, 0), signal));
  }

  async forget(): Promise<void> {
    (await this.#call((id) => bareRequest(id, Op.forget))).end();
  }

  async end(reason: unknown): Promise<void> {
    await this.#child.stop(reason);
  }

  async #call(
    request: (id: number) => Uint8Array,
    signal?: AbortSignal,
    onProgress?: (payload: FrameReader) => void,
  ): Promise<FrameReader> {
    let replace: ReturnType<typeof setTimeout> | undefined;
    const onAbort = () => {
      const id = this.#child.newId();
      this.#child.call(id, bareRequest(id, Op.cancel)).catch(() => undefined);
      replace = setTimeout(() => void this.end(signal?.reason), abortGraceMs);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await this.#answer(request, onProgress === undefined ? {} : { onProgress });
    } finally {
      clearTimeout(replace);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** The program's answer; a program that is silent for too long is ended. */
  async #answer(
    request: (id: number) => Uint8Array,
    options: { onProgress?: (payload: FrameReader) => void; limitMs?: number; late?: OptioError },
  ): Promise<FrameReader> {
    const { silenceLimitMs = 120_000 } = this.#options;
    const {
      onProgress,
      limitMs = silenceLimitMs,
      late = new OptioError("engine_crashed", `The native scorer gave no sign of life for ${limitMs} ms.`),
    } = options;
    const watch = setTimeout(() => void this.end(late), limitMs);
    const id = this.#child.newId();
    try {
      return await this.#child.call(id, request(id), ({ payload }) => {
        watch.refresh();
        onProgress?.(payload);
      });
    } finally {
      clearTimeout(watch);
    }
  }
}
