import {
  bareRequest,
  CallAborted,
  type CallOptions,
  helloRequest,
  hiddenRequest,
  type LoadSettings,
  loadRequest,
  Op,
  OptioError,
  readHello,
  readHidden,
  readLoaded,
  readScore,
  readTokens,
  type ScoreOptions,
  type ScorePlan,
  type ScoreResult,
  type Scorer,
  type ScorerInfo,
  scoreRequest,
  type TokenizeText,
  tokenizeRequest,
} from "@optio/core/engines";
import type { NativeProgram } from "./native-program.js";
import { ScorerProcess } from "./scorer-process.js";

export interface NativeScorerOptions {
  readonly program: NativeProgram;
  readonly load: LoadSettings & { readonly path: string };
  readonly signal?: AbortSignal;
  readonly onLoadProgress?: (fraction: number) => void;
  /** Milliseconds within which the program must answer its first message. Default 30,000. */
  readonly readyTimeoutMs?: number;
}

/** Starts the native program and loads a model in it. */
export async function startNativeScorer(options: NativeScorerOptions): Promise<Scorer> {
  const { program, load, signal, onLoadProgress, readyTimeoutMs = 30_000 } = options;
  const child = new ScorerProcess(program.path, program.environment);
  const late = setTimeout(() => {
    void child.stop(
      new OptioError("engine_start_failed", `The native scorer did not answer within ${readyTimeoutMs} ms.`),
    );
  }, readyTimeoutMs);
  // Loading cannot be interrupted from outside: an abort ends the process.
  const onAbort = () => void child.stop(new OptioError("engine_closed", "Loading was aborted."));
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    signal?.throwIfAborted();
    const helloId = child.newId();
    const hello = readHello(await child.call(helloId, helloRequest(helloId)));
    clearTimeout(late);
    const loadId = child.newId();
    const loaded = readLoaded(
      await child.call(loadId, loadRequest(loadId, load), ({ payload }) => onLoadProgress?.(payload.f32())),
    );
    const { target, variant, llamaRelease } = hello;
    return new NativeScorer(child, { target, variant, llamaRelease, threads: loaded.threads, model: loaded.model });
  } catch (error) {
    await child.stop(new OptioError("engine_closed", "The native scorer did not start."));
    if (signal?.aborted) throw signal.reason;
    throw error;
  } finally {
    clearTimeout(late);
    signal?.removeEventListener("abort", onAbort);
  }
}

class NativeScorer implements Scorer {
  readonly info: ScorerInfo;
  readonly #child: ScorerProcess;

  constructor(child: ScorerProcess, info: ScorerInfo) {
    this.#child = child;
    this.info = info;
  }

  async tokenize(texts: readonly TokenizeText[], options: CallOptions = {}): Promise<readonly Int32Array[]> {
    return readTokens(await this.#call((id) => tokenizeRequest(id, texts), options.signal));
  }

  async score(plan: ScorePlan, options: ScoreOptions = {}): Promise<ScoreResult> {
    const { reuse = true, timeoutMs, signal, onProgress } = options;
    const deadlineMs = timeoutMs !== undefined && Number.isFinite(timeoutMs) ? timeoutMs : 0;
    const answer = readScore(
      await this.#call(
        (id) => scoreRequest(id, { plan, reuse, deadlineMs, stepwise: false }),
        signal,
        (evaluatedTokens, totalTokens) => onProgress?.({ evaluatedTokens, totalTokens }),
      ),
      plan,
    );
    if (answer.done) return answer.result;
    throw new OptioError("protocol_mismatch", "The native scorer stopped half-way although it was not asked to.");
  }

  async hidden(tokens: Int32Array, positions: Int32Array, options: CallOptions = {}): Promise<readonly Float32Array[]> {
    return readHidden(await this.#call((id) => hiddenRequest(id, tokens, positions, 0), options.signal));
  }

  async forget(): Promise<void> {
    (await this.#call((id) => bareRequest(id, Op.forget))).end();
  }

  async close(): Promise<void> {
    await this.#child.stop(new OptioError("engine_closed", "The engine was closed."));
  }

  async #call(
    request: (id: number) => Uint8Array,
    signal?: AbortSignal,
    onProgress?: (evaluated: number, total: number) => void,
  ) {
    signal?.throwIfAborted();
    const id = this.#child.newId();
    const onAbort = () => {
      const cancelId = this.#child.newId();
      this.#child.call(cancelId, bareRequest(cancelId, Op.cancel)).catch(() => undefined);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await this.#child.call(id, request(id), ({ payload }) => onProgress?.(payload.u32(), payload.u32()));
    } catch (error) {
      if (error instanceof CallAborted && signal?.aborted) throw signal.reason;
      throw error;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }
}
