import { type Call, startCall, untilAborted } from "../call.js";
import type {
  ChatEvent,
  ChatRequest,
  DecisionRequest,
  Engine,
  EngineCallOptions,
  EngineInfo,
  EngineSource,
  EngineStartOptions,
  NamedQuestion,
  Pass,
  RawDecision,
  Readout,
  State,
  Usage,
} from "../engines/engine.js";
import { type ErrorCode, errorHints, OptioError } from "../errors.js";
import { type FakeAnswerRule, fakeProbabilities, hashedProbabilities } from "./fake-answer.js";

export interface FakeOptions {
  /** Answers by question id. A question that is not named gets probabilities from a hash of state and question. */
  readonly answers?: Readonly<Record<string, FakeAnswerRule>>;
  /** Decisions fail with this code; a function is asked with the number of the call, from 1. */
  readonly failWith?: ErrorCode | ((call: number) => ErrorCode | undefined);
  /** Starting fails with this code. */
  readonly failStartWith?: ErrorCode;
  /** Milliseconds that a decision takes; it still ends at once on an abort, a deadline or `close`. Default 0. */
  readonly delayMs?: number;
  /** What a conversation is answered, a word a token; without it the engine only decides. */
  readonly reply?: string;
  /** What the engine says about itself, where that should differ. */
  readonly info?: Partial<Omit<EngineInfo, "kind">>;
}

/** A source of fake engines that remembers what they were asked. */
export interface FakeEngineSource extends EngineSource {
  readonly kind: "fake";
  /** Every request so far, over all engines of this source, failed ones included. */
  readonly requests: readonly DecisionRequest[];
  /** Decisions asked for so far. */
  readonly calls: number;
  /** Engines started so far. */
  readonly starts: number;
}

/**
 * A deterministic engine for unit tests: no weights, no worker, no network.
 *
 * @throws OptioError `invalid_setting` from a decision when an answer does not fit its question
 *
 * @example
 * const engine = fake({ answers: { team: "billing", angry: { true: 0.2, false: 0.8 } } });
 * const decider = createDecider({ engine });
 */
export function fake(options: FakeOptions = {}): FakeEngineSource {
  const { delayMs = 0 } = options;
  if (!(delayMs >= 0)) throw new OptioError("invalid_setting", `delayMs must be at least 0, not ${delayMs}.`);
  const requests: DecisionRequest[] = [];
  let starts = 0;
  return {
    kind: "fake",
    requests,
    get calls() {
      return requests.length;
    },
    get starts() {
      return starts;
    },
    async start({ signal, onProgress }: EngineStartOptions): Promise<Engine> {
      starts++;
      signal?.throwIfAborted();
      if (options.failStartWith !== undefined) throw told(options.failStartWith);
      onProgress?.({ phase: "load", fraction: 1 });
      return new FakeEngine(options, requests);
    },
  };
}

const defaultReadout: Readout = { kind: "letter", orders: 1, prior: false, length: "total" };

class FakeEngine implements Engine {
  readonly info: EngineInfo;
  readonly #defaultReadout: Readout;
  readonly chat?: NonNullable<Engine["chat"]>;
  readonly #options: FakeOptions;
  readonly #requests: DecisionRequest[];
  readonly #closing = new AbortController();

  constructor(options: FakeOptions, requests: DecisionRequest[]) {
    this.#options = options;
    this.#requests = requests;
    const { reply } = options;
    if (reply !== undefined) this.chat = (request, control) => this.#say(reply, request, control);
    this.#defaultReadout = options.info?.defaultReadout ?? defaultReadout;
    this.info = {
      backend: "hash",
      model: { id: "fake" },
      ...options.info,
      defaultReadout: this.#defaultReadout,
      kind: "fake",
    };
  }

  async decide(request: DecisionRequest, { signal, timeoutMs, onProgress }: EngineCallOptions): Promise<RawDecision> {
    this.#closing.signal.throwIfAborted();
    signal.throwIfAborted();
    this.#requests.push(request);
    const number = this.#requests.length;
    const ends = AbortSignal.any([signal, this.#closing.signal]);
    const deadline = Number.isFinite(timeoutMs) ? { timeoutMs: Math.max(timeoutMs, Number.MIN_VALUE) } : {};
    using call = startCall({ signal: ends, ...deadline }, "The fake decision");
    await pause(this.#options.delayMs ?? 0, call);

    const { failWith } = this.#options;
    const code = typeof failWith === "function" ? failWith(number) : failWith;
    if (code !== undefined) throw told(code);
    const decision = this.#answer(request);
    const { evaluatedTokens } = decision.usage;
    onProgress?.({ phase: "evaluate", evaluatedTokens, totalTokens: evaluatedTokens });
    return decision;
  }

  async *#say(
    reply: string,
    { messages, maxTokens }: ChatRequest,
    options: EngineCallOptions,
  ): AsyncGenerator<ChatEvent> {
    const words = reply.match(/\S+\s*/gu) ?? [];
    const inputTokens = messages.reduce((sum, { content }) => sum + content.length, 0);
    const usage = (outputTokens: number): Usage => ({
      inputTokens,
      outputTokens,
      evaluatedTokens: inputTokens + outputTokens,
      reusedTokens: 0,
      reusedPriors: 0,
    });
    for (const [index, text] of words.slice(0, maxTokens).entries()) {
      options.signal.throwIfAborted();
      this.#closing.signal.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, this.#options.delayMs ?? 0));
      const token = { id: index, bytes: new TextEncoder().encode(text), logProbability: Math.log(0.5) };
      yield { kind: "token", token, text, top: [token], drawnFrom: [{ ...token, logProbability: 0 }] };
    }
    const made = Math.min(words.length, maxTokens);
    yield { kind: "end", reason: made < words.length ? "length" : "stop", text: "", usage: usage(made) };
  }

  async close(): Promise<void> {
    this.#closing.abort(new OptioError("engine_closed", "The fake engine was closed."));
  }

  #answer({ state, questions, readout: wanted }: DecisionRequest): RawDecision {
    const readout = { ...this.#defaultReadout, ...wanted };
    const tokens =
      JSON.stringify(state).length + questions.reduce((sum, { question }) => sum + question.instructions.length, 0);
    return {
      questions: questions.map((question) => ({ passes: this.#passes(state, question, readout) })),
      readout,
      // A character counts as a token.
      usage: { inputTokens: tokens, outputTokens: 0, evaluatedTokens: tokens, reusedTokens: 0, reusedPriors: 0 },
      timings: { prefillMs: 0, questionsMs: 0, priorMs: 0 },
      warnings: [],
    };
  }

  /** Every order gives the same numbers and every prior is even, so that the answer is what the test asked for. */
  #passes(state: State, named: NamedQuestion, { orders, prior }: Readout): readonly Pass[] {
    const { answers = {} } = this.#options;
    const rule = Object.hasOwn(answers, named.id) ? answers[named.id] : undefined;
    const answer = typeof rule === "function" ? rule(state) : rule;
    const probabilities =
      answer === undefined ? hashedProbabilities(state, named.question) : fakeProbabilities(answer, named);
    const even = probabilities.map(() => 1 / probabilities.length);
    const forward = probabilities.map((_, option) => option);
    return [forward, [...forward].reverse()].slice(0, orders).flatMap((order): Pass[] => {
      const actual: Pass = { order, state: "actual", reading: { kind: "probabilities", probabilities } };
      const empty: Pass = { order, state: "empty", reading: { kind: "probabilities", probabilities: even } };
      return prior ? [actual, empty] : [actual];
    });
  }
}

/** Waits, at least until other tasks had their turn; ends early with the call. */
async function pause(ms: number, call: Call): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await untilAborted(new Promise<void>((resolve) => (timer = setTimeout(resolve, ms))), call.signal);
  } finally {
    clearTimeout(timer);
  }
  if (call.remainingMs() === 0) throw new OptioError("timeout", "The fake decision took longer than its time limit.");
}

function told(code: ErrorCode): OptioError {
  return new OptioError(code, `The fake engine was told to fail: ${errorHints[code]}`);
}
