/**
 * What a local engine talks to: tokens in, raw numbers out. The same scorer runs as WebAssembly in a worker and as a
 * native child process; `wasm/PROTOCOL.md` describes its messages.
 */
export interface Scorer {
  readonly info: ScorerInfo;
  /** Token ids of each text. Texts with `special: false` never yield a control token by parsing. No BOS is added. */
  tokenize(texts: readonly TokenizeText[], options?: CallOptions): Promise<readonly Int32Array[]>;
  /**
   * Evaluates a tree of tokens and reads raw numbers at the given places.
   *
   * @throws OptioError `context_too_long` before any work when a path of the tree does not fit; `timeout`, `engine_crashed`,
   *   `out_of_memory`, `non_finite_scores`; the signal's reason when aborted.
   */
  score(plan: ScorePlan, options?: ScoreOptions): Promise<ScoreResult>;
  /** The bytes that each token stands for, which need not be whole characters; none for control tokens. */
  pieces(tokens: Int32Array, options?: CallOptions): Promise<readonly Uint8Array[]>;
  /** Hidden states of the last layer at given positions of one token sequence, one row of `info.model.embeddingLength` numbers each. */
  hidden(tokens: Int32Array, positions: Int32Array, options?: CallOptions): Promise<readonly Float32Array[]>;
  /** Forgets what earlier calls left in the KV cache. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface TokenizeText {
  readonly text: string;
  /** Whether text such as `<|im_end|>` is parsed as a control token: only ever for the model's own template. */
  readonly special: boolean;
}

/** A tree of token runs. Node 0 is the root (the shared prefix, which may be empty); each later node continues its parent. */
export interface ScorePlan {
  readonly nodes: readonly PlanNode[];
}

export interface PlanNode {
  /** Index of the parent node, smaller than the node's own; -1 for the root. */
  readonly parent: number;
  readonly tokens: Int32Array;
  readonly reads: readonly Read[];
}

export interface Read {
  /** Index into the node's tokens: the distribution of what follows that token is read. */
  readonly at: number;
  /** Token ids whose raw logits are wanted; none only where `top` asks for others. */
  readonly ids: Int32Array;
  /** How many of the most probable tokens are wanted as well, 0 to the size of the vocabulary. Default 0. */
  readonly top?: number;
}

export interface ScoreOptions extends CallOptions {
  /** Use what the last call left in the cache where its tokens agree. Default true; false gives repeatable numbers. */
  readonly reuse?: boolean;
  /** Milliseconds after which the call fails with `timeout`; none by default. */
  readonly timeoutMs?: number;
  readonly onProgress?: (progress: ScoreProgress) => void;
}

export interface ScoreProgress {
  readonly evaluatedTokens: number;
  readonly totalTokens: number;
}

export interface ScoreResult {
  /** For each node of the plan, in order, one result a read. */
  readonly nodes: readonly (readonly ReadResult[])[];
  readonly evaluatedTokens: number;
  /** Tokens of the root that were still in the cache. */
  readonly reusedTokens: number;
  /** Milliseconds spent on the root. */
  readonly prefillMs: number;
  /** Milliseconds spent on the other nodes. */
  readonly branchesMs: number;
}

export interface ReadResult {
  /** Raw logits, as many as the read's ids. */
  readonly logits: Float32Array;
  /** Log of the sum of exp(logit) over the whole vocabulary: logit - logSumExp is a log-probability. */
  readonly logSumExp: number;
  /** The most probable tokens, as many as the read's `top`, and their raw logits, highest first; absent where it asks for none. */
  readonly top?: { readonly ids: Int32Array; readonly logits: Float32Array };
}

export interface ScorerInfo {
  /** `wasm` or `native`. */
  readonly target: "wasm" | "native";
  /** `simd`, `simd-threads`, or the name of the native CPU or GPU back end. */
  readonly variant: string;
  readonly threads: number;
  /** Release of llama.cpp, for example `b11434`. */
  readonly llamaRelease: string;
  readonly model: ModelInfo;
}

export interface ModelInfo {
  readonly architecture: string;
  readonly name: string;
  /** For example `Q4_K - Medium`. */
  readonly fileType: string;
  readonly parameterCount: number;
  readonly sizeBytes: number;
  readonly vocabSize: number;
  readonly embeddingLength: number;
  /** Tokens that the model was trained for. */
  readonly trainedContext: number;
  /** Tokens that this instance can hold at once. */
  readonly contextTokens: number;
  /** -1 where the vocabulary has none. */
  readonly bosToken: number;
  readonly eosToken: number;
  readonly eotToken: number;
  readonly addBos: boolean;
  /** Chat templates by name; the usual one is `default`. */
  readonly chatTemplates: Readonly<Record<string, string>>;
  /** False for recurrent, hybrid and sliding-window models, whose memory cannot be cut back. */
  readonly truncatable: boolean;
  /** Control and user-defined tokens of the vocabulary. */
  readonly reservedTokens: readonly ReservedToken[];
  /** Scalar metadata of the GGUF as text. */
  readonly metadata: Readonly<Record<string, string>>;
}

export interface ReservedToken {
  readonly id: number;
  readonly text: string;
  readonly kind: "control" | "user-defined" | "unknown";
}
