import { type Call, startCall } from "../call.js";
import { type Decision, type DecisionSettings, runDecision } from "../decide.js";
import { type Decisions, type ManyProgress, runDecisions, type SettledDecision, sumOf } from "../decide-many.js";
import type { EngineQueue } from "../engine-queue.js";
import type { DecisionRequest, EngineInfo, Progress, State } from "../engines/engine.js";
import { OptioError } from "../errors.js";
import type { NamedQuestion } from "../questions/question.js";
import type { Settled } from "../settled.js";
import type { PassedOver } from "../trust/receipt.js";
import { HourlyBudget } from "./budget.js";
import { CircuitBreaker } from "./circuit-breaker.js";
import { isEngineTrouble, nobodyAnswered, passesOn } from "./failures.js";
import type { FallbackSettings } from "./settings.js";
import { Undecided } from "./undecided.js";

interface Link {
  readonly queue: EngineQueue;
  readonly breaker: CircuitBreaker;
  /** After the last there is nobody to pass a decision on to. */
  readonly isLast: boolean;
}

type Asked = Omit<DecisionRequest, "readout" | "state">;

export interface ManyListeners {
  readonly onProgress?: (progress: ManyProgress) => void;
  readonly onResult?: (result: SettledDecision, index: number) => void;
}

/** The engines of a decider, asked in their order until one answers, and answers surely enough. One engine is a chain too. */
export class FallbackChain {
  readonly #links: readonly Link[];
  readonly #settings: FallbackSettings;
  readonly #budget: HourlyBudget;

  constructor(queues: readonly EngineQueue[], settings: FallbackSettings) {
    this.#links = queues.map((queue, index) => ({
      queue,
      breaker: new CircuitBreaker(settings.breaker ?? {}),
      isLast: index === queues.length - 1,
    }));
    this.#settings = settings;
    this.#budget = new HourlyBudget(settings.budget?.perHour ?? Number.POSITIVE_INFINITY);
  }

  /** The first engine that starts. */
  async ready(call: Call, onProgress?: (progress: Progress) => void): Promise<EngineInfo> {
    const failures: string[] = [];
    let last: OptioError | undefined;
    for (const { queue, isLast } of this.#links) {
      try {
        return await queue.ready(call, onProgress);
      } catch (error) {
        call.signal.throwIfAborted();
        if (isLast && failures.length === 0) throw error;
        last = OptioError.from(error);
        failures.push(`${queue.kind}: ${last.message}`);
      }
    }
    throw nobodyAnswered(failures, last);
  }

  async decide(
    { state, ...asked }: Asked & { readonly state: State },
    settings: DecisionSettings,
    call: Call,
    onProgress?: (progress: Progress) => void,
  ): Promise<Decision> {
    const pending = new Undecided(state);
    for (const link of this.#links) {
      const admitted = this.#admits(link, pending, asked.questions);
      if (!(typeof admitted === "boolean" ? admitted : await admitted)) continue;
      const outcome = await this.#ask(link, call, (own) =>
        link.queue.run(
          own,
          ({ engine, queueMs }) => {
            const options = { signal: own.signal, timeoutMs: own.remainingMs(), queueMs };
            const progress = onProgress === undefined ? {} : { onProgress };
            return runDecision(engine, { ...asked, state }, settings, { ...options, ...progress });
          },
          { starting: call.signal, ...(onProgress === undefined ? {} : { onProgress }) },
        ),
      );
      pending.settle(link.queue, outcome, this.#bound(link));
      if (pending.isSettled) break;
    }
    pending.close();
    const result = pending.result();
    if (result.status === "rejected") throw result.reason;
    return result.value;
  }

  async decideMany(
    { states, ...asked }: Asked & { readonly states: readonly Settled<State>[] },
    settings: DecisionSettings,
    call: Call,
    listeners: ManyListeners,
  ): Promise<Decisions> {
    const began = performance.now();
    const all = states.map((state) => (state.status === "rejected" ? state : new Undecided(state.value)));
    const answered: Decisions[] = [];
    const results: SettledDecision[] = [];
    const flush = (): void => {
      for (let next = all[results.length]; next !== undefined; next = all[results.length]) {
        if (next instanceof Undecided && !next.isSettled) return;
        const result = next instanceof Undecided ? next.result() : next;
        listeners.onResult?.(result, results.length);
        results.push(result);
        listeners.onProgress?.({ phase: "states", done: results.length, total: all.length });
      }
    };

    for (const link of this.#links) {
      const admitted: Undecided[] = [];
      for (const pending of all) {
        if (!(pending instanceof Undecided) || pending.isSettled) continue;
        if (await this.#admits(link, pending, asked.questions)) admitted.push(pending);
      }
      if (admitted.length === 0) continue;
      let done = 0;
      const outcome = await this.#ask(link, call, (own) =>
        link.queue.run(
          own,
          ({ engine, queueMs, turn }) =>
            runDecisions(
              engine,
              { ...asked, states: admitted.map(({ state }) => ({ status: "fulfilled", value: state })) },
              settings,
              {
                signal: own.signal,
                timeoutMs: own.remainingMs(),
                queueMs,
                pass: turn.pass,
                ...(listeners.onProgress === undefined ? {} : { onProgress: withoutStates(listeners.onProgress) }),
                onResult: (result) => {
                  admitted[done++]?.settle(link.queue, result, this.#bound(link));
                  flush();
                },
              },
            ),
          {
            starting: call.signal,
            ...(listeners.onProgress === undefined ? {} : { onProgress: listeners.onProgress }),
          },
        ),
      );
      if (outcome.status === "fulfilled") answered.push(outcome.value);
      else if (this.#links.length === 1 || !passesOn(outcome.reason)) throw outcome.reason;
      else for (const pending of admitted.slice(done)) pending.settle(link.queue, outcome, this.#bound(link));
      flush();
    }
    for (const pending of all) if (pending instanceof Undecided) pending.close();
    flush();
    return { results, ...sumOf(answered, performance.now() - began) };
  }

  async close(reason: unknown): Promise<void> {
    await Promise.all(this.#links.map(({ queue }) => queue.close(reason)));
  }

  /** Whether this engine is asked about this state; if not, why not is noted. At once where nobody has to be asked first. */
  #admits(link: Link, pending: Undecided, questions: readonly NamedQuestion[]): boolean | Promise<boolean> {
    if (this.#links.length === 1) return true;
    const decided = (why: PassedOver | undefined): boolean => {
      if (why !== undefined) pending.skip(link.queue, why);
      return why === undefined;
    };
    const { destination } = link.queue;
    const why = this.#isBusy(link) ? "queue" : undefined;
    if (why !== undefined || destination === undefined) return decided(why ?? this.#keptFrom(link, pending, questions));
    return this.#keptFromSending(link, destination, pending, questions).then(decided);
  }

  #isBusy({ queue, isLast }: Link): boolean {
    return !isLast && queue.waiting >= (this.#settings.queueFrom ?? Number.POSITIVE_INFINITY);
  }

  /** Why an engine on this machine is passed over. */
  #keptFrom(
    { breaker, isLast }: Link,
    { state }: Undecided,
    questions: readonly NamedQuestion[],
  ): PassedOver | undefined {
    const { charactersAbove = Number.POSITIVE_INFINITY } = this.#settings;
    if (!isLast && characters(state, questions) > charactersAbove) return "size";
    return breaker.admit() ? undefined : "breaker";
  }

  /** Why a state is not sent away. What costs something comes last. */
  async #keptFromSending(
    { queue, breaker }: Link,
    destination: string,
    pending: Undecided,
    questions: readonly NamedQuestion[],
  ): Promise<PassedOver | undefined> {
    const { consent = true, budget } = this.#settings;
    const { state } = pending;
    if (pending.sent >= (budget?.perDecision ?? Number.POSITIVE_INFINITY)) return "budget";
    const agreed =
      typeof consent === "boolean" ? consent : await consent({ engine: queue.kind, destination, state, questions });
    if (!agreed) return "consent";
    if (!breaker.admit()) return "breaker";
    if (!this.#budget.spend()) {
      breaker.undecided();
      return "budget";
    }
    pending.sent++;
    return undefined;
  }

  /** Asks within the time that this engine has, and tells its breaker how it went. */
  async #ask<T>(link: Link, call: Call, work: (own: Call) => Promise<T>): Promise<Settled<T>> {
    const { breaker, isLast, queue } = link;
    const { afterMs } = this.#settings;
    const hurried = !isLast && afterMs !== undefined && afterMs < call.remainingMs();
    using own = hurried
      ? startCall({ signal: call.signal, timeoutMs: afterMs }, `The ${queue.kind} engine`)
      : undefined;
    try {
      const value = await work(own ?? call);
      breaker.succeeded();
      return { status: "fulfilled", value };
    } catch (thrown) {
      if (call.signal.aborted) breaker.undecided();
      call.signal.throwIfAborted();
      const blamed = own?.blame(thrown) ?? thrown;
      // What is not an error of ours is a defect, or a signal that only the engine knows: both end the call.
      if (!OptioError.isInstance(blamed)) {
        breaker.undecided();
        throw blamed;
      }
      if (isEngineTrouble(blamed)) breaker.failed();
      else breaker.undecided();
      return { status: "rejected", reason: blamed };
    }
  }

  /** Confidence from which on an answer of this engine is the last word. */
  #bound({ isLast }: Link): number {
    return isLast ? 0 : (this.#settings.escalateBelow ?? 0);
  }
}

function characters(state: State, questions: readonly NamedQuestion[]): number {
  const text =
    state.kind === "text" ? state.text : JSON.stringify(state.kind === "json" ? state.value : state.messages);
  return text.length + questions.reduce((sum, { question }) => sum + JSON.stringify(question.wire).length, 0);
}

/** Of several engines only the chain knows how many states are done. */
function withoutStates(onProgress: (progress: ManyProgress) => void): (progress: ManyProgress) => void {
  return (progress) => {
    if (progress.phase !== "states") onProgress(progress);
  };
}
