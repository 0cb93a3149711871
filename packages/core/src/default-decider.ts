import type { Decision } from "./decide.js";
import type { Decisions } from "./decide-many.js";
import { createDecider, type DecideManyRequest, type DecideRequest, type Decider } from "./decider.js";
import type { Engine, EngineSource } from "./engines/engine.js";
import { wasm } from "./engines/wasm.js";
import type { QuestionsInput } from "./questions/normalize.js";

interface EngineChoice {
  /** Default: `wasm()`, which loads the catalogue's default model at the first call and keeps it. */
  readonly engine?: EngineSource | Engine;
}

export interface DecideOnceRequest<Q extends QuestionsInput> extends DecideRequest<Q>, EngineChoice {}

export interface DecideManyOnceRequest<Q extends QuestionsInput> extends DecideManyRequest<Q>, EngineChoice {}

const deciders = new WeakMap<EngineSource | Engine, Decider>();
let defaultEngine: EngineSource | undefined;

/**
 * Decides without a decider at hand. Calls with the same engine share one decider, so the model is loaded once; it is
 * never closed, but does not keep a process alive either. Use `createDecider` for defaults, a queue limit or an end.
 *
 * @throws OptioError by the codes of `errors.ts`; the signal's own reason when aborted.
 */
export function decide<const Q extends QuestionsInput>(request: DecideOnceRequest<Q>): Promise<Decision<Q>> {
  const { engine, ...rest } = request;
  return deciderOf(engine).decide<Q>(rest as DecideRequest<Q>);
}

/**
 * Decides about many states with the same questions, without a decider at hand. The engine is chosen and kept as by `decide`.
 *
 * @throws OptioError for what is wrong with the questions, the settings or the engine; `timeout`; the signal's own reason when
 *   aborted. What is wrong with one state is its result.
 */
export function decideMany<const Q extends QuestionsInput>(request: DecideManyOnceRequest<Q>): Promise<Decisions<Q>> {
  const { engine, ...rest } = request;
  return deciderOf(engine).decideMany<Q>(rest as DecideManyRequest<Q>);
}

function deciderOf(engine: EngineSource | Engine = defaultSource()): Decider {
  let decider = deciders.get(engine);
  if (decider === undefined) {
    decider = createDecider({ engine });
    deciders.set(engine, decider);
  }
  return decider;
}

function defaultSource(): EngineSource {
  defaultEngine ??= wasm();
  return defaultEngine;
}
