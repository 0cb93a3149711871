import { type CallControl, startCall } from "./call.js";
import { checkSettings, type Decision, type DecisionSettings, runDecision } from "./decide.js";
import type { Engine, EngineInfo, EngineSource, Progress } from "./engines/engine.js";
import { OptioError } from "./errors.js";
import { normalizeQuestions, type QuestionsInput } from "./questions/normalize.js";
import { normalizeState, type StateInput } from "./state.js";
import { Turnstile } from "./turnstile.js";

export interface DeciderOptions extends DecisionSettings {
  /** What answers: a source such as `wasm()`, started at the first use, or an engine that runs already. */
  readonly engine: EngineSource | Engine;
  /** Milliseconds that a decision may take unless its call says otherwise; the first also loads the model. None by default. */
  readonly timeoutMs?: number;
  /** Decisions that may wait while another runs, 0 or more. Default 64. */
  readonly maxQueue?: number;
}

export interface DecideRequest<Q extends QuestionsInput> extends CallControl, DecisionSettings {
  /** What the decision is about: text, JSON, or chat messages. */
  readonly state: StateInput;
  readonly questions: Q;
  /** Default true. False: nothing of earlier calls is used, so that the numbers repeat exactly. */
  readonly reuse?: boolean;
  readonly onProgress?: (progress: Progress) => void;
}

export interface ReadyOptions extends CallControl {
  readonly onProgress?: (progress: Progress) => void;
}

/** A reusable way to decide: one engine, its defaults, and a bounded queue. */
export interface Decider extends AsyncDisposable {
  /** Starts the engine if it does not run yet, and says what it is. */
  ready(options?: ReadyOptions): Promise<EngineInfo>;
  /**
   * Decides about one state. Calls made at the same time wait for each other, in order.
   *
   * @throws OptioError by the codes of `errors.ts`; the signal's own reason when aborted.
   */
  decide<const Q extends QuestionsInput>(request: DecideRequest<Q>): Promise<Decision<Q>>;
  /** Closes the engine; calls that run or wait are rejected with `engine_closed`. Safe to call twice. */
  close(): Promise<void>;
}

export function createDecider(options: DeciderOptions): Decider {
  const { maxQueue = 64 } = options;
  if (!Number.isInteger(maxQueue) || maxQueue < 0) {
    throw new OptioError("invalid_setting", `maxQueue must be a whole number from 0, not ${maxQueue}.`);
  }
  return new QueueingDecider(options, maxQueue);
}

class QueueingDecider implements Decider {
  readonly #options: DeciderOptions;
  readonly #turnstile: Turnstile;
  readonly #closing = new AbortController();
  #engine: Promise<Engine> | undefined;

  constructor(options: DeciderOptions, maxQueue: number) {
    this.#options = options;
    this.#turnstile = new Turnstile(maxQueue);
  }

  async ready(options: ReadyOptions = {}): Promise<EngineInfo> {
    using call = this.#startCall(options, "Starting the engine");
    const engine = await this.#turnstile.run(call.signal, () => this.#started(call.signal, options.onProgress));
    return engine.info;
  }

  async decide<const Q extends QuestionsInput>(request: DecideRequest<Q>): Promise<Decision<Q>> {
    const state = normalizeState(request.state);
    const questions = normalizeQuestions(request.questions);
    const settings: DecisionSettings = { ...this.#options, ...request };
    checkSettings(settings);
    const { onProgress, reuse = true } = request;
    const began = performance.now();

    using call = this.#startCall({ timeoutMs: this.#options.timeoutMs, ...request }, "The decision");
    const decision = this.#turnstile.run(
      call.signal,
      async () => {
        const queueMs = performance.now() - began;
        const engine = await this.#started(call.signal, onProgress);
        const progress = onProgress === undefined ? {} : { onProgress };
        return runDecision(engine, { state, questions, reuse }, settings, {
          signal: call.signal,
          timeoutMs: call.remainingMs(),
          queueMs,
          ...progress,
        }) as Promise<Decision<Q>>;
      },
      (ahead) => onProgress?.({ phase: "queue", ahead }),
    );
    try {
      return await decision;
    } catch (error) {
      throw call.blame(error);
    }
  }

  async close(): Promise<void> {
    const closed = new OptioError("engine_closed", "The decider was closed.");
    this.#closing.abort(closed);
    this.#turnstile.clear(closed);
    const engine = await this.#engine?.catch(() => undefined);
    await engine?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #startCall(control: { readonly signal?: AbortSignal; readonly timeoutMs?: number | undefined }, what: string) {
    this.#closing.signal.throwIfAborted();
    const { signal, timeoutMs } = control;
    const ends = signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
    return startCall({ signal: ends, ...(timeoutMs === undefined ? {} : { timeoutMs }) }, what);
  }

  /** The running engine. A start that failed or was aborted is tried anew by the next call. */
  async #started(signal: AbortSignal, onProgress?: (progress: Progress) => void): Promise<Engine> {
    if (this.#engine === undefined) {
      const { engine } = this.#options;
      const progress = onProgress === undefined ? {} : { onProgress };
      const starting = "start" in engine ? engine.start({ signal, ...progress }) : Promise.resolve(engine);
      this.#engine = starting;
      starting.catch(() => {
        if (this.#engine === starting) this.#engine = undefined;
      });
    }
    return this.#engine;
  }
}
