import type { Json, NamedQuestion } from "../questions/question.js";
import type { Settled } from "../settled.js";

export type { NamedQuestion };

/** Something that answers decisions. The only thing that `decide()` talks to. */
export interface Engine {
  readonly info: EngineInfo;
  /**
   * Answers with raw readings; `readout/` and `trust/` make probabilities of them.
   *
   * @throws OptioError by the codes of `errors.ts`; the signal's own reason when aborted.
   */
  decide(request: DecisionRequest, options: EngineCallOptions): Promise<RawDecision>;
  /**
   * Answers the same questions about several states, sharing between them what it can; an engine without it is asked state by
   * state. Yields one outcome a state, in order of the states, as they are found.
   *
   * @throws what ends the whole call: what `isAboutOneState` denies, and the signal's own reason when aborted.
   */
  decideMany?(request: ManyDecisionsRequest, options: EngineCallOptions): AsyncIterable<Settled<RawDecision>>;
  /**
   * Answers a conversation in words, a token at a time; absent for engines that only decide.
   *
   * @throws OptioError by the codes of `errors.ts`; the signal's own reason when aborted.
   */
  chat?(request: ChatRequest, options: EngineCallOptions): AsyncIterable<ChatEvent>;
  /** Safe to call twice and during a call, which is then rejected with `engine_closed`. */
  close(): Promise<void>;
}

/** Something that can start an engine; what `wasm()` and its siblings return. Nothing is loaded before `start`. */
export interface EngineSource {
  readonly kind: EngineKind;
  /** The host that states are sent to; absent for engines that keep them on this machine. */
  readonly destination?: string;
  /** Decisions that its engine takes at the same time. Default 1. */
  readonly concurrency?: number;
  start(options: EngineStartOptions): Promise<Engine>;
}

export interface EngineStartOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export type EngineKind = "wasm" | "wllama" | "native" | "remote" | "sagemaker" | "fake";

export interface EngineInfo {
  readonly kind: EngineKind;
  /** What computes: `simd`, `simd-threads`, a native back end, or a host. */
  readonly backend: string;
  /** The host that states are sent to; absent for engines that keep them on this machine. */
  readonly destination?: string;
  readonly threads?: number;
  readonly model: ModelIdentity;
  /** Tokens that state and question may take together; absent when the engine cannot know. */
  readonly contextTokens?: number;
  /** How this model is best read when the caller does not say; absent for engines that read in a way of their own. */
  readonly defaultReadout?: Readout;
  /** Decisions that it takes at the same time. Default 1. */
  readonly concurrency?: number;
  /** Id, version and hash of the prompt profile in use; absent when the prompt is made elsewhere. */
  readonly profile?: ProfileIdentity;
  /** What computes locally; absent for engines elsewhere. */
  readonly scorer?: { readonly target: "wasm" | "native"; readonly llamaRelease: string };
  /** The day that the model's chat template was told, when it asked for one. */
  readonly templateDate?: string;
}

export interface ModelIdentity {
  readonly id: string;
  /** SHA-256 of the file, lower-case hex; absent when the engine cannot know it. */
  readonly sha256?: string;
  readonly quantization?: string;
}

export interface ProfileIdentity {
  readonly id: string;
  readonly version: number;
  readonly sha256: string;
}

/** How option scores are read. */
export interface Readout {
  /** `letter`: one label token an option. `sequence`: the log-probability of the option's whole text. */
  readonly kind: "letter" | "sequence";
  /** 1: the author's order. 2: its reverse as well, log-probabilities averaged. */
  readonly orders: 1 | 2;
  /** Subtract the log-probabilities of the same question on an empty state. */
  readonly prior: boolean;
  /** `sequence` only: the sum of the tokens' log-probabilities, or their mean. */
  readonly length: "total" | "per-token";
}

/** A message of a conversation that is being decided about. */
export interface ChatMessage {
  readonly role: string;
  readonly content: string;
}

/** What a decision is about. */
export type State =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "json"; readonly value: Json }
  | { readonly kind: "messages"; readonly messages: readonly ChatMessage[] };

/** One state, one or more questions; the answers are independent. */
export interface DecisionRequest {
  readonly state: State;
  readonly questions: readonly NamedQuestion[];
  /** Overrides of the engine's default readout. */
  readonly readout: Partial<Readout>;
  /** False: nothing of an earlier call is used, so that the numbers repeat exactly. */
  readonly reuse: boolean;
}

/** A conversation to go on with. */
export interface ChatRequest {
  /** Ends with the message to answer. */
  readonly messages: readonly ChatMessage[];
  /** Most tokens of the answer, 1 or more; the context limits them as well. */
  readonly maxTokens: number;
  readonly sampling: Sampling;
  /** Texts that end the answer, and are not part of it. */
  readonly stop: readonly string[];
  /** How many of the most probable tokens are told with each token, 0 to 1,000. */
  readonly topTokens: number;
  /** False: nothing of an earlier call is used, so that the numbers repeat exactly. */
  readonly reuse: boolean;
}

/** How the next token is drawn. */
export interface Sampling {
  /** Divides the logits; 0 takes the most probable token. */
  readonly temperature: number;
  /** Only so many of the most probable tokens; 0 for no such limit (at most 1,000 are considered in any case). */
  readonly topK: number;
  /** Only the most probable tokens that have this much of the probability together, 0 to 1. */
  readonly topP: number;
  /** Only tokens at least this probable, as a share of the most probable one, 0 to 1. */
  readonly minP: number;
  /** The same seed draws the same tokens from the same numbers. */
  readonly seed: number;
  /** Added to the logits of tokens, by their id or their text; a text of several tokens has it on each of them. */
  readonly bias: readonly (readonly [token: number | string, logit: number])[];
}

export type ChatEvent =
  | {
      readonly kind: "token";
      readonly token: TokenProbability;
      /** Text that is complete with this token; it may be empty, or stand for several tokens. */
      readonly text: string;
      /** The most probable tokens of the model, before any bias or temperature. */
      readonly top: readonly TokenProbability[];
      /** The most probable tokens that were drawn from, with bias and temperature. */
      readonly drawnFrom: readonly TokenProbability[];
    }
  | {
      readonly kind: "end";
      /** `stop`: the model ended, or a stop text came. `length`: `maxTokens` or the context was used up. */
      readonly reason: "stop" | "length";
      readonly text: string;
      readonly usage: Usage;
    };

export interface TokenProbability {
  readonly id: number;
  /** The bytes that it stands for; they need not be whole characters. */
  readonly bytes: Uint8Array;
  readonly logProbability: number;
}

/** Several states, the same questions about each. */
export interface ManyDecisionsRequest extends Omit<DecisionRequest, "state"> {
  readonly states: readonly State[];
}

export interface EngineCallOptions {
  readonly signal: AbortSignal;
  /** Milliseconds left for the call; `Infinity` for none. */
  readonly timeoutMs: number;
  readonly onProgress?: (progress: Progress) => void;
}

/** How far something longer than a second is. */
export type Progress =
  | { readonly phase: "download"; readonly loaded: number; readonly total: number; readonly bytesPerSecond: number }
  | { readonly phase: "verify"; readonly loaded: number; readonly total: number }
  | { readonly phase: "evict"; readonly id: string; readonly freedBytes: number }
  | { readonly phase: "load"; readonly fraction: number }
  | { readonly phase: "queue"; readonly ahead: number }
  | { readonly phase: "evaluate"; readonly evaluatedTokens: number; readonly totalTokens: number };

export interface RawDecision {
  /** As many as the request's questions, in their order. */
  readonly questions: readonly RawAnswer[];
  /** The readout that was used; absent for engines that read in a way of their own, in one pass a question. */
  readonly readout?: Readout;
  /** What answered, where only the answer tells. Default: the engine's `info`. */
  readonly answeredBy?: EngineInfo;
  /** The receipt that a server gave with its answer. */
  readonly upstream?: Json;
  readonly usage: Usage;
  readonly timings: EngineTimings;
  /** States that went through the model together with this one, itself included. Default 1. */
  readonly batchedStates?: number;
  readonly warnings: readonly string[];
}

/** The passes over one question: an order each, and the same orders again on the empty state when a prior is wanted. */
export interface RawAnswer {
  readonly passes: readonly Pass[];
}

export interface Pass {
  /** For each place in the prompt, the index of the option shown there. Readings are by option index, not by place. */
  readonly order: readonly number[];
  readonly state: "actual" | "empty";
  readonly reading: Reading;
}

/** Raw numbers of one pass, by option in the author's order. */
export type Reading =
  /** Logits of the label tokens and the log-sum-exp of the vocabulary. */
  | { readonly kind: "letter"; readonly logits: readonly number[]; readonly logSumExp: number }
  /** Log-probability of each token of each option's text. */
  | { readonly kind: "sequence"; readonly tokenLogProbs: readonly (readonly number[])[] }
  /** Probabilities from an engine that reads on its own, and the label mass where it tells it. */
  | { readonly kind: "probabilities"; readonly probabilities: readonly number[]; readonly labelMass?: number };

export interface Usage {
  /** Tokens of the prompts, whether evaluated or reused. */
  readonly inputTokens: number;
  /** Tokens that were generated: 0, but for engines that read a chat model's first token. */
  readonly outputTokens: number;
  /** Tokens that went through the model in this call. */
  readonly evaluatedTokens: number;
  /** Tokens that were still in the cache of an earlier call, or that an earlier state of the same call has paid for. */
  readonly reusedTokens: number;
  /** Priors taken from an earlier call or state instead of being evaluated. */
  readonly reusedPriors: number;
}

/** Of a state that was evaluated together with others: its share of their time, by the tokens that it took. */
export interface EngineTimings {
  /** Milliseconds spent on the shared prefix. */
  readonly prefillMs: number;
  /** Milliseconds spent on the questions. */
  readonly questionsMs: number;
  /** Milliseconds spent on priors that were not known yet. */
  readonly priorMs: number;
}
