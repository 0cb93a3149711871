import { OptioError } from "../errors.js";
import { CallAborted } from "./protocol.js";
import type { CallOptions, ScoreOptions, ScorePlan, ScoreResult, Scorer, ScorerInfo, TokenizeText } from "./scorer.js";

/** One worker or child process from its start to its end. Its calls come one at a time. */
export interface ScorerSession {
  /** Why it ended does not matter here: nothing more can be asked of it. */
  readonly ended: boolean;
  /** Waits until it is ready, and loads the model. An abort may end the session. */
  open(signal: AbortSignal | undefined, onLoadProgress?: (fraction: number) => void): Promise<ScorerInfo>;
  tokenize(texts: readonly TokenizeText[], options: CallOptions): Promise<readonly Int32Array[]>;
  score(plan: ScorePlan, options: ScoreOptions): Promise<ScoreResult>;
  pieces(tokens: Int32Array, options: CallOptions): Promise<readonly Uint8Array[]>;
  hidden(tokens: Int32Array, positions: Int32Array, options: CallOptions): Promise<readonly Float32Array[]>;
  forget(): Promise<void>;
  /** Rejects whatever is pending with `reason`; resolves when it is gone. Safe to call again. */
  end(reason: unknown): Promise<void>;
}

export interface RestartingScorerOptions {
  readonly startSession: () => ScorerSession;
  /** Restarts in a row without a call that succeeded, before `engine_crashed` is final. Default 3. */
  readonly maxRestarts?: number;
  /** Ends the first start. */
  readonly signal?: AbortSignal;
  readonly onLoadProgress?: (fraction: number) => void;
}

/** Milliseconds before the second restart in a row; each further one waits twice as long. The first is at once. */
const backOffMs = 100;

/**
 * Starts a session and loads the model in it. The scorer survives its sessions: when one dies, the running call is
 * rejected with `engine_crashed` and the next call starts another.
 */
export async function startRestartingScorer(options: RestartingScorerOptions): Promise<Scorer> {
  const scorer = new RestartingScorer(options);
  try {
    await scorer.open(options.signal, options.onLoadProgress);
  } catch (error) {
    await scorer.close();
    throw error;
  }
  return scorer;
}

class RestartingScorer implements Scorer {
  readonly #startSession: () => ScorerSession;
  readonly #maxRestarts: number;
  #session: ScorerSession | undefined;
  #info: ScorerInfo | undefined;
  #failures = 0;
  #closed = false;
  /** Settles when the call before has: a session does one thing at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor({ startSession, maxRestarts = 3 }: RestartingScorerOptions) {
    this.#startSession = startSession;
    this.#maxRestarts = maxRestarts;
  }

  get info(): ScorerInfo {
    if (this.#info === undefined) throw new OptioError("internal", "The scorer was used before it had started.");
    return this.#info;
  }

  async open(signal: AbortSignal | undefined, onLoadProgress?: (fraction: number) => void): Promise<void> {
    await this.#exclusive(signal, () => this.#running(signal, onLoadProgress));
  }

  tokenize(texts: readonly TokenizeText[], options: CallOptions = {}): Promise<readonly Int32Array[]> {
    if (texts.length === 0) return Promise.resolve([]);
    return this.#call(options.signal, (session) => session.tokenize(texts, options));
  }

  score(plan: ScorePlan, options: ScoreOptions = {}): Promise<ScoreResult> {
    return this.#call(options.signal, (session) => session.score(plan, options));
  }

  pieces(tokens: Int32Array, options: CallOptions = {}): Promise<readonly Uint8Array[]> {
    return this.#call(options.signal, (session) => session.pieces(tokens, options));
  }

  hidden(tokens: Int32Array, positions: Int32Array, options: CallOptions = {}): Promise<readonly Float32Array[]> {
    return this.#call(options.signal, (session) => session.hidden(tokens, positions, options));
  }

  async forget(): Promise<void> {
    await this.#call(undefined, (session) => session.forget());
  }

  async close(): Promise<void> {
    this.#closed = true;
    const session = this.#session;
    this.#session = undefined;
    await session?.end(new OptioError("engine_closed", "The engine was closed."));
  }

  #call<T>(signal: AbortSignal | undefined, work: (session: ScorerSession) => Promise<T>): Promise<T> {
    return this.#exclusive(signal, async () => {
      const session = await this.#running(signal);
      try {
        const value = await work(session);
        this.#failures = 0;
        return value;
      } catch (error) {
        // After a trap a module's memory cannot be trusted; after a death there is nothing left to call.
        if (session.ended || OptioError.isInstance(error, "engine_crashed", "out_of_memory")) {
          await this.#discard(session, error);
        }
        if (signal?.aborted) {
          // A session that was replaced because the caller gave up did not fail.
          this.#failures = 0;
          if (session.ended || error instanceof CallAborted) throw signal.reason;
        }
        throw error;
      }
    });
  }

  async #running(signal: AbortSignal | undefined, onLoadProgress?: (fraction: number) => void): Promise<ScorerSession> {
    this.#refuseClosed();
    if (this.#session !== undefined && !this.#session.ended) return this.#session;
    if (this.#failures > this.#maxRestarts) {
      throw new OptioError(
        "engine_crashed",
        `The scorer stopped ${this.#failures} times in a row and is not started again.`,
        { hint: "Create a new engine, with a smaller model or context if memory is short." },
      );
    }
    if (this.#failures > 1) await delay(backOffMs * 2 ** (this.#failures - 2), signal);
    this.#refuseClosed();
    this.#failures += 1;
    const session = this.#newSession();
    this.#session = session;
    try {
      this.#info = await session.open(signal, onLoadProgress);
    } catch (error) {
      await this.#discard(session, error);
      if (signal?.aborted) this.#failures = 0;
      throw error;
    }
    return session;
  }

  #newSession(): ScorerSession {
    try {
      return this.#startSession();
    } catch (error) {
      throw OptioError.from(error, "engine_start_failed");
    }
  }

  #refuseClosed(): void {
    if (this.#closed) throw new OptioError("engine_closed", "The engine was closed.");
  }

  async #discard(session: ScorerSession, reason: unknown): Promise<void> {
    if (this.#session === session) this.#session = undefined;
    await session.end(reason);
  }

  #exclusive<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => {
      signal?.throwIfAborted();
      return work();
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

function delay(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
