import { z } from "zod";
import { type Call, type CallControl, startCall } from "./call.js";
import {
  callback,
  callFields,
  checkOptions,
  flag,
  having,
  options as optionsOf,
  timeoutMs,
  whole,
} from "./check-options.js";
import { checkSettings, type Decision, type DecisionSettings, runDecision, settingFields } from "./decide.js";
import { type Decisions, type ManyProgress, noDecisions, runDecisions, type SettledDecision } from "./decide-many.js";
import type { Engine, EngineInfo, EngineSource, Progress } from "./engines/engine.js";
import { OptioError } from "./errors.js";
import { normalizeQuestions, type QuestionsInput } from "./questions/normalize.js";
import { normalizeState, normalizeStates, type StateInput } from "./state.js";
import { type Turn, Turnstile } from "./turnstile.js";

export type { Decisions, ManyProgress, SettledDecision };

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

export interface DecideManyRequest<Q extends QuestionsInput> extends CallControl, DecisionSettings {
  /** What the decisions are about, each as in `decide`. An empty list gives no results. */
  readonly states: readonly StateInput[];
  /** Asked about every state. */
  readonly questions: Q;
  /**
   * Default true: states go through the model together, and what they begin with is evaluated once; the probabilities differ
   * from those of `decide` as quantised kernels round. False: each state by itself, with exactly the numbers of `decide`.
   */
  readonly reuse?: boolean;
  readonly onProgress?: (progress: ManyProgress) => void;
  /** Called with each result in order, as soon as it is there: also what a call had found that is aborted later. */
  readonly onResult?: (result: SettledDecision<Q>, index: number) => void;
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
  /**
   * Decides about many states with the same questions; fastest with a profile that puts the question first, which is then
   * evaluated once. A state that fails (it is empty, too long, ...) is a rejected result and does not harm the others. The
   * signal and the time limit are those of the whole call. Between states, other calls that wait have their turn.
   *
   * @throws OptioError for what is wrong with the questions, the settings or the engine; `timeout`; the signal's own reason
   *   when aborted. `onResult` has been called with what was found until then.
   */
  decideMany<const Q extends QuestionsInput>(request: DecideManyRequest<Q>): Promise<Decisions<Q>>;
  /** Closes the engine; calls that run or wait are rejected with `engine_closed`. Safe to call twice. */
  close(): Promise<void>;
}

const deciderOptions = optionsOf({
  engine: z.unknown(),
  timeoutMs,
  maxQueue: whole(0, Number.MAX_SAFE_INTEGER),
  ...settingFields,
});
const engineOption = z.object({
  engine: z.union([having("", "start"), having("", "decide", "close")], {
    error: "must be an engine or what starts one, such as wasm()",
  }),
});

/** States and questions are checked where they are read. */
const requestFields = { questions: z.unknown(), reuse: flag, ...settingFields, ...callFields };
const decideOptions = optionsOf({ state: z.unknown(), ...requestFields });
const decideManyOptions = optionsOf({ states: z.unknown(), onResult: callback, ...requestFields });
const readyOptions = optionsOf(callFields);

/** @throws OptioError `invalid_setting` */
export function createDecider(options: DeciderOptions): Decider {
  checkOptions(deciderOptions, options);
  checkOptions(engineOption, options);
  checkSettings(options);
  return new QueueingDecider(options, options.maxQueue ?? 64);
}

interface Run {
  readonly call: Call;
  readonly queueMs: number;
  readonly turn: Turn;
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
    checkOptions(readyOptions, options);
    using call = this.#startCall(options, "Starting the engine");
    const engine = await this.#turnstile.run(call.signal, () => this.#started(call.signal, options.onProgress));
    return engine.info;
  }

  async decide<const Q extends QuestionsInput>(request: DecideRequest<Q>): Promise<Decision<Q>> {
    checkOptions(decideOptions, request);
    const state = normalizeState(request.state);
    const { asked, settings } = this.#checked(request);
    const progress = request.onProgress === undefined ? {} : { onProgress: request.onProgress };
    return this.#run(request, "The decision", (engine, { call, queueMs }) => {
      const options = { signal: call.signal, timeoutMs: call.remainingMs(), queueMs, ...progress };
      return runDecision(engine, { ...asked, state }, settings, options) as Promise<Decision<Q>>;
    });
  }

  async decideMany<const Q extends QuestionsInput>(request: DecideManyRequest<Q>): Promise<Decisions<Q>> {
    checkOptions(decideManyOptions, request);
    const states = normalizeStates(request.states);
    const { asked, settings } = this.#checked(request);
    if (states.length === 0) return noDecisions() as Decisions<Q>;
    const listeners = {
      ...(request.onProgress === undefined ? {} : { onProgress: request.onProgress }),
      // The results have the types of the questions, which only the request knows.
      ...(request.onResult === undefined ? {} : { onResult: request.onResult as (result: SettledDecision) => void }),
    };
    return this.#run(request, "The decisions", (engine, { call, queueMs, turn }) => {
      const options = { signal: call.signal, timeoutMs: call.remainingMs(), queueMs, pass: turn.pass, ...listeners };
      return runDecisions(engine, { ...asked, states }, settings, options) as Promise<Decisions<Q>>;
    });
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

  #checked(request: DecisionSettings & { readonly questions: QuestionsInput; readonly reuse?: boolean }) {
    const { questions, reuse = true } = request;
    const asked = { questions: normalizeQuestions(questions), reuse };
    const settings: DecisionSettings = { ...this.#options, ...request };
    checkSettings(settings);
    return { asked, settings };
  }

  /** Runs `work` with the started engine when its turn comes, within the call's limits. */
  async #run<T>(
    request: CallControl & { readonly onProgress?: (progress: Progress) => void },
    what: string,
    work: (engine: Engine, run: Run) => Promise<T>,
  ): Promise<T> {
    const { onProgress } = request;
    const began = performance.now();
    using call = this.#startCall({ timeoutMs: this.#options.timeoutMs, ...request }, what);
    try {
      return await this.#turnstile.run(
        call.signal,
        async (turn) => {
          const queueMs = performance.now() - began;
          return work(await this.#started(call.signal, onProgress), { call, queueMs, turn });
        },
        (ahead) => onProgress?.({ phase: "queue", ahead }),
      );
    } catch (error) {
      throw call.blame(error);
    }
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
