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
import { checkSettings, type Decision, type DecisionSettings, settingFields } from "./decide.js";
import { type Decisions, type ManyProgress, noDecisions, type SettledDecision } from "./decide-many.js";
import { EngineQueue } from "./engine-queue.js";
import type { Engine, EngineInfo, EngineSource, Progress } from "./engines/engine.js";
import { OptioError } from "./errors.js";
import { FallbackChain } from "./fallback/chain.js";
import { checkConsent, type FallbackSettings, fallbackOptions, type Transfer } from "./fallback/settings.js";
import { normalizeQuestions, type QuestionsInput } from "./questions/normalize.js";
import { normalizeState, normalizeStates, type StateInput } from "./state.js";

export type { CallControl, Decisions, FallbackSettings, ManyProgress, SettledDecision, Transfer };

/** One engine, or several that are asked in their order. */
export type DeciderOptions = OneEngineOptions | SeveralEnginesOptions;

export interface OneEngineOptions extends CommonOptions {
  /** What answers: a source such as `wasm()`, started at the first use, or an engine that runs already. */
  readonly engine: EngineSource | Engine;
  readonly engines?: never;
  readonly fallback?: never;
}

export interface SeveralEnginesOptions extends CommonOptions {
  /** What answers, the preferred first; each is started when it is needed. One engine's failure passes a decision to the next. */
  readonly engines: readonly [EngineSource | Engine, ...(EngineSource | Engine)[]];
  /** When else the next is asked, and what may be sent to other hosts. */
  readonly fallback?: FallbackSettings;
  readonly engine?: never;
}

interface CommonOptions extends DecisionSettings {
  /** Milliseconds that a decision may take unless its call says otherwise; the first also loads the model. None by default. */
  readonly timeoutMs?: number;
  /** Decisions that may wait for an engine, 0 or more. Default 64. */
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

/** A reusable way to decide: its engines, their defaults, and a bounded queue for each. */
export interface Decider extends AsyncDisposable {
  /** Starts the engine if it does not run yet, and says what it is; of several, the first that can be started. */
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
  /** Closes the engines; calls that run or wait are rejected with `engine_closed`. Safe to call twice. */
  close(): Promise<void>;
}

const engineField = z.union([having("", "start"), having("", "decide", "close")], {
  error: "must be an engine or what starts one, such as wasm()",
});
const deciderOptions = optionsOf({
  engine: engineField,
  engines: z.array(engineField, { error: "must be a list of engines" }).min(1, { error: "must not be empty" }),
  fallback: fallbackOptions,
  timeoutMs,
  maxQueue: whole(0, Number.MAX_SAFE_INTEGER),
  ...settingFields,
});

/** States and questions are checked where they are read. */
const requestFields = { questions: z.unknown(), reuse: flag, ...settingFields, ...callFields };
const decideOptions = optionsOf({ state: z.unknown(), ...requestFields });
const decideManyOptions = optionsOf({ states: z.unknown(), onResult: callback, ...requestFields });
const readyOptions = optionsOf(callFields);

/** @throws OptioError `invalid_setting` */
export function createDecider(options: DeciderOptions): Decider {
  checkOptions(deciderOptions, options);
  checkSettings(options);
  const { engine, engines = engine === undefined ? [] : [engine], fallback = {}, maxQueue = 64 } = options;
  if (engines.length === 0 || (engine !== undefined && options.engines !== undefined)) {
    throw new OptioError("invalid_setting", "The options must have either engine or engines.", {
      hint: "Pass `engine: wasm()`, or several as `engines`.",
      details: { field: "engine" },
    });
  }
  const queues = engines.map((each) => new EngineQueue(each, maxQueue));
  checkConsent(
    queues.map(({ destination }) => destination),
    fallback,
  );
  return new ChainDecider(options, new FallbackChain(queues, fallback));
}

class ChainDecider implements Decider {
  readonly #options: DeciderOptions;
  readonly #chain: FallbackChain;
  readonly #closing = new AbortController();

  constructor(options: DeciderOptions, chain: FallbackChain) {
    this.#options = options;
    this.#chain = chain;
  }

  async ready(options: ReadyOptions = {}): Promise<EngineInfo> {
    checkOptions(readyOptions, options);
    using call = this.#startCall(options, "Starting the engine");
    // Awaited here: what is returned as a promise would outlive its call's limits.
    return await this.#chain.ready(call, options.onProgress);
  }

  async decide<const Q extends QuestionsInput>(request: DecideRequest<Q>): Promise<Decision<Q>> {
    checkOptions(decideOptions, request);
    const state = normalizeState(request.state);
    const { asked, settings } = this.#checked(request);
    return this.#within(
      request,
      "The decision",
      (call) => this.#chain.decide({ ...asked, state }, settings, call, request.onProgress) as Promise<Decision<Q>>,
    );
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
    return this.#within(
      request,
      "The decisions",
      (call) => this.#chain.decideMany({ ...asked, states }, settings, call, listeners) as Promise<Decisions<Q>>,
    );
  }

  async close(): Promise<void> {
    const closed = new OptioError("engine_closed", "The decider was closed.");
    this.#closing.abort(closed);
    await this.#chain.close(closed);
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

  /** Does `work` within the limits of a call. */
  async #within<T>(request: CallControl, what: string, work: (call: Call) => Promise<T>): Promise<T> {
    using call = this.#startCall({ timeoutMs: this.#options.timeoutMs, ...request }, what);
    try {
      return await work(call);
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
}
