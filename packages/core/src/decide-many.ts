import {
  type Decision,
  type DecisionSettings,
  type DecisionTimings,
  judgeDecision,
  type RunOptions,
} from "./decide.js";
import type { Engine, ManyDecisionsRequest, Progress, RawDecision, State, Usage } from "./engines/engine.js";
import { OptioError } from "./errors.js";
import type { QuestionsInput } from "./questions/normalize.js";
import { isAboutOneState, type Settled } from "./settled.js";

/** The decision about one of many states, or why there is none. */
export type SettledDecision<Q extends QuestionsInput = QuestionsInput> = Settled<Decision<Q>>;

export interface Decisions<Q extends QuestionsInput = QuestionsInput> {
  /** One a state, in the order of the states. */
  readonly results: readonly SettledDecision<Q>[];
  /** Sum over the states that the engine answered. */
  readonly usage: Usage;
  /** Sums likewise; `queueMs` and `totalMs` are those of the whole call. */
  readonly timings: DecisionTimings;
}

/** How far a call about many states is. `evaluate` counts the tokens of the states that are being worked on together. */
export type ManyProgress =
  | Progress
  /** States that have an outcome, and all of them. */
  | { readonly phase: "states"; readonly done: number; readonly total: number };

export interface RunManyOptions extends Omit<RunOptions, "onProgress"> {
  readonly onProgress?: (progress: ManyProgress) => void;
  readonly onResult?: (result: SettledDecision, index: number) => void;
  /** Called between states: others that wait for the engine may go first. */
  readonly pass: () => Promise<void>;
}

/** Many states under one set of questions; a state that was refused before keeps its place. */
export interface ManyStatesRequest extends Omit<ManyDecisionsRequest, "readout" | "states"> {
  readonly states: readonly Settled<State>[];
}

/** The path of many decisions. What is wrong with one state is its result; everything else rejects. */
export async function runDecisions(
  engine: Engine,
  { states, ...request }: ManyStatesRequest,
  settings: DecisionSettings,
  { queueMs, onResult, pass, ...call }: RunManyOptions,
): Promise<Decisions> {
  const began = performance.now();
  const results: SettledDecision[] = [];
  const answered: RawDecision[] = [];
  const found = (raw: RawDecision): SettledDecision => {
    answered.push(raw);
    try {
      return { status: "fulfilled", value: judgeDecision(engine.info, raw, request, settings, { queueMs, began }) };
    } catch (error) {
      if (!isAboutOneState(error)) throw error;
      return { status: "rejected", reason: error };
    }
  };

  const valid = states.flatMap((state) => (state.status === "fulfilled" ? [state.value] : []));
  const asked = { ...request, states: valid, readout: settings.readout ?? {} };
  const outcomes = engine.decideMany?.(asked, call) ?? oneByOne(engine, asked, call);
  const iterator = outcomes[Symbol.asyncIterator]();
  try {
    for (const state of states) {
      const outcome = state.status === "rejected" ? state : await nextOf(iterator);
      call.signal.throwIfAborted();
      await pass();
      const result = outcome.status === "rejected" ? outcome : found(outcome.value);
      onResult?.(result, results.length);
      results.push(result);
      call.onProgress?.({ phase: "states", done: results.length, total: states.length });
    }
  } finally {
    await iterator.return?.();
  }

  return { results, ...totals(answered, { queueMs, began }) };
}

/** What a call about no state at all gives. */
export function noDecisions(): Decisions {
  return { results: [], ...totals([], { queueMs: 0, began: performance.now() }) };
}

type Totals = Omit<Decisions, "results">;

function totals(
  answered: readonly RawDecision[],
  { queueMs, began }: { readonly queueMs: number; readonly began: number },
): Totals {
  const waited = answered.map(({ usage, timings }) => ({ usage, timings: { ...timings, queueMs: 0, totalMs: 0 } }));
  const { usage, timings } = sumOf(waited, performance.now() - began);
  return { usage, timings: { ...timings, queueMs } };
}

/** Sums over calls; `totalMs` is not a sum, since calls may overlap. */
export function sumOf(calls: readonly Totals[], totalMs: number): Totals {
  const sum = (count: (call: Totals) => number): number => calls.reduce((total, call) => total + count(call), 0);
  return {
    usage: {
      inputTokens: sum(({ usage }) => usage.inputTokens),
      outputTokens: sum(({ usage }) => usage.outputTokens),
      evaluatedTokens: sum(({ usage }) => usage.evaluatedTokens),
      reusedTokens: sum(({ usage }) => usage.reusedTokens),
      reusedPriors: sum(({ usage }) => usage.reusedPriors),
    },
    timings: {
      prefillMs: sum(({ timings }) => timings.prefillMs),
      questionsMs: sum(({ timings }) => timings.questionsMs),
      priorMs: sum(({ timings }) => timings.priorMs),
      queueMs: sum(({ timings }) => timings.queueMs),
      totalMs,
    },
  };
}

async function nextOf(outcomes: AsyncIterator<Settled<RawDecision>>): Promise<Settled<RawDecision>> {
  const next = await outcomes.next();
  if (next.done)
    throw new OptioError("invalid_distribution", "The engine answered fewer states than it was asked about.");
  return next.value;
}

/** For engines that take a state at a time: as many of them are on their way as the engine takes calls. */
async function* oneByOne(
  engine: Engine,
  { states, ...request }: ManyDecisionsRequest,
  call: Omit<RunOptions, "queueMs">,
): AsyncGenerator<Settled<RawDecision>> {
  const deadline = performance.now() + call.timeoutMs;
  const { concurrency = 1 } = engine.info;
  // Those that are on their way when the call ends early have nobody left to tell.
  const leaving = new AbortController();
  const signal = AbortSignal.any([call.signal, leaving.signal]);
  const ask = (state: State): Promise<Settled<RawDecision>> =>
    engine
      .decide({ ...request, state }, { ...call, signal, timeoutMs: Math.max(1, deadline - performance.now()) })
      .then(
        (value) => ({ status: "fulfilled", value }) as const,
        (reason: unknown) => {
          call.signal.throwIfAborted();
          if (!isAboutOneState(reason)) throw reason;
          return { status: "rejected", reason } as const;
        },
      );
  const running: Promise<Settled<RawDecision>>[] = [];
  let next = 0;
  try {
    while (next < states.length || running.length > 0) {
      for (; next < states.length && running.length < concurrency; next++) {
        const outcome = ask(states[next] as State);
        outcome.catch(() => undefined);
        running.push(outcome);
      }
      const first = running.shift();
      if (first !== undefined) yield await first;
    }
  } finally {
    leaving.abort();
  }
}
