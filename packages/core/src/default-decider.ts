import type { Decision } from "./decide.js";
import { createDecider, type DecideRequest, type Decider } from "./decider.js";
import type { Engine, EngineSource } from "./engines/engine.js";
import { wasm } from "./engines/wasm.js";
import type { QuestionsInput } from "./questions/normalize.js";

export interface DecideOnceRequest<Q extends QuestionsInput> extends DecideRequest<Q> {
  /** Default: `wasm()`, which loads the catalogue's default model at the first call and keeps it. */
  readonly engine?: EngineSource | Engine;
}

const deciders = new WeakMap<EngineSource | Engine, Decider>();
let defaultEngine: EngineSource | undefined;

/**
 * Decides without a decider at hand. Calls with the same engine share one decider, so the model is loaded once; it is
 * never closed, but does not keep a process alive either. Use `createDecider` for defaults, a queue limit or an end.
 *
 * @throws OptioError by the codes of `errors.ts`; the signal's own reason when aborted.
 */
export function decide<const Q extends QuestionsInput>(request: DecideOnceRequest<Q>): Promise<Decision<Q>> {
  const { engine = defaultSource(), ...rest } = request;
  let decider = deciders.get(engine);
  if (decider === undefined) {
    decider = createDecider({ engine });
    deciders.set(engine, decider);
  }
  return decider.decide<Q>(rest as DecideRequest<Q>);
}

function defaultSource(): EngineSource {
  defaultEngine ??= wasm();
  return defaultEngine;
}
