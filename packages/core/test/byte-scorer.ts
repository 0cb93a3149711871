import type { ReadResult, ReservedToken, ScorePlan, ScoreResult, Scorer, TokenizeText } from "../src/scorer/scorer.js";

/**
 * A scorer for tests without a model. It keeps the root of the last plan as the real one does. Its vocabulary is the 256 bytes, two control tokens and one user-defined token,
 * which, as in llama.cpp, is matched even where control tokens are not parsed. The logit of a token is a fixed function of
 * all tokens before it, so that a plan can be checked against whole prompts.
 */
export interface ByteScorer extends Scorer {
  readonly calls: { tokenize: number; score: number; evaluatedTokens: number };
  /** Every plan that was scored. */
  readonly plans: ScorePlan[];
  /** Logit of `token` after `before`, and the log-sum-exp of the vocabulary there. */
  expected(before: readonly number[], token: number): { readonly logit: number; readonly logSumExp: number };
}

export const reserved: readonly ReservedToken[] = [
  { id: 256, text: "<|im_start|>", kind: "control" },
  { id: 257, text: "<|im_end|>", kind: "control" },
  { id: 258, text: "<tool_call>", kind: "user-defined" },
];
const vocabSize = 259;

export interface ByteScorerOptions {
  readonly contextTokens?: number;
  readonly addBos?: boolean;
  readonly truncatable?: boolean;
}

export function byteScorer(template: string, options: ByteScorerOptions = {}): ByteScorer {
  const { contextTokens = 4_096, addBos = false, truncatable = true } = options;
  const plans: ScorePlan[] = [];
  let cached: readonly number[] = [];
  const calls = { tokenize: 0, score: 0, evaluatedTokens: 0 };
  const expected: ByteScorer["expected"] = (before, token) => {
    const logits = Array.from({ length: vocabSize }, (_, id) => logitOf(before, id));
    return { logit: logits[token] ?? Number.NaN, logSumExp: Math.log(logits.reduce((sum, x) => sum + Math.exp(x), 0)) };
  };
  return {
    calls,
    plans,
    expected,
    info: {
      target: "wasm",
      variant: "simd",
      threads: 1,
      llamaRelease: "test",
      model: {
        architecture: "bytes",
        name: "bytes",
        fileType: "none",
        parameterCount: 0,
        sizeBytes: 0,
        vocabSize,
        embeddingLength: 1,
        trainedContext: contextTokens,
        contextTokens,
        bosToken: 256,
        eosToken: 257,
        eotToken: 257,
        addBos,
        chatTemplates: { default: template },
        truncatable,
        reservedTokens: reserved,
        metadata: {},
      },
    },
    async tokenize(texts) {
      calls.tokenize += 1;
      return texts.map(tokensOf);
    },
    async score(plan, { reuse = true } = {}) {
      calls.score += 1;
      plans.push(plan);
      const reusedTokens = reuse ? keptTokens(plan, cached, truncatable) : 0;
      cached = [...(plan.nodes[0]?.tokens ?? [])];
      const result = scorePlan(plan, expected, reusedTokens);
      calls.evaluatedTokens += result.evaluatedTokens;
      return result;
    },
    pieces: async (tokens) => [...tokens].map((id) => Uint8Array.from(id < 256 ? [id] : [])),
    hidden: async () => [],
    forget: async () => {
      cached = [];
    },
    close: async () => undefined,
  };
}

function tokensOf({ text, special }: TokenizeText): Int32Array {
  const matched = reserved.filter(({ kind }) => special || kind === "user-defined");
  const tokens: number[] = [];
  let rest = text;
  while (rest !== "") {
    const token = matched.find((candidate) => rest.startsWith(candidate.text));
    if (token !== undefined) {
      tokens.push(token.id);
      rest = rest.slice(token.text.length);
    } else {
      const [character = ""] = rest;
      tokens.push(...new TextEncoder().encode(character));
      rest = rest.slice(character.length);
    }
  }
  return Int32Array.from(tokens);
}

/** As `Evaluation::begin_root` of the scorer: what agrees with the root, up to its first read; all or nothing where the memory cannot be cut. */
function keptTokens({ nodes: [root] }: ScorePlan, cached: readonly number[], truncatable: boolean): number {
  if (root === undefined) return 0;
  const limit = Math.min(cached.length, root.reads[0]?.at ?? root.tokens.length);
  let kept = 0;
  while (kept < limit && cached[kept] === root.tokens[kept]) kept += 1;
  return kept < cached.length && !truncatable ? 0 : kept;
}

function scorePlan(plan: ScorePlan, expected: ByteScorer["expected"], reusedTokens: number): ScoreResult {
  const paths: number[][] = [];
  const nodes = plan.nodes.map((node, index): readonly ReadResult[] => {
    const before = paths[node.parent] ?? [];
    paths[index] = [...before, ...node.tokens];
    return node.reads.map(({ at, ids, top = 0 }) => {
      const numbersOf = (id: number) => expected([...before, ...node.tokens.slice(0, at + 1)], id);
      const values = [...ids].map(numbersOf);
      const all = top === 0 ? [] : Array.from({ length: vocabSize }, (_, id) => ({ id, ...numbersOf(id) }));
      const best = all.sort((a, b) => b.logit - a.logit || a.id - b.id).slice(0, top);
      return {
        logits: Float32Array.from(values, ({ logit }) => logit),
        logSumExp: values[0]?.logSumExp ?? best[0]?.logSumExp ?? Number.NaN,
        ...(top === 0
          ? {}
          : {
              top: {
                ids: Int32Array.from(best, ({ id }) => id),
                logits: Float32Array.from(best, ({ logit }) => logit),
              },
            }),
      };
    });
  });
  const evaluatedTokens = plan.nodes.reduce((sum, node) => sum + node.tokens.length, 0) - reusedTokens;
  return { nodes, evaluatedTokens, reusedTokens, prefillMs: 1, branchesMs: 1 };
}

/** From -4 to 4, by FNV-1a over the tokens. */
function logitOf(before: readonly number[], token: number): number {
  let hash = 0x811c9dc5;
  for (const value of [...before.slice(-64), before.length, token]) hash = Math.imul(hash ^ value, 0x01000193) >>> 0;
  return (hash / 2 ** 32) * 8 - 4;
}

/** Bytes back as text, reserved tokens as their text. */
export function textOf(tokens: Iterable<number>): string {
  const bytes: number[] = [];
  for (const token of tokens) {
    const marker = reserved.find(({ id }) => id === token);
    bytes.push(...(marker === undefined ? [token] : new TextEncoder().encode(marker.text)));
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}
