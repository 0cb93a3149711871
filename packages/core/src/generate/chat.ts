import type { ChatEvent, ChatRequest, EngineCallOptions, TokenProbability, Usage } from "../engines/engine.js";
import { OptioError } from "../errors.js";
import type { ReadResult, Scorer } from "../scorer/scorer.js";
import { chatTokens } from "./chat-tokens.js";
import { draw, seededRandom, type Weighted, weigh } from "./draw.js";
import { TextStream } from "./text-stream.js";

/** Most tokens that one is drawn from: what is less probable than these has next to no probability. */
const mostCandidates = 1_000;

/**
 * Answers a conversation with a model on this machine. Each token is one call of the scorer, which finds all before it in its cache.
 *
 * @param endTokens that end an answer, beside the vocabulary's control tokens
 * @throws OptioError `context_too_long` when nothing of an answer would fit, and those of the scorer
 */
export async function* chat(
  scorer: Scorer,
  endTokens: readonly number[],
  request: ChatRequest,
  { signal, timeoutMs }: EngineCallOptions,
): AsyncGenerator<ChatEvent> {
  const { sampling, topTokens, reuse } = request;
  const { model } = scorer.info;
  const deadline = performance.now() + timeoutMs;
  const tokens = [...(await chatTokens(scorer, request.messages, signal))];
  const promptTokens = tokens.length;
  const room = model.contextTokens - promptTokens;
  if (room < 1) {
    const over = 1 - room;
    throw new OptioError(
      "context_too_long",
      `The conversation takes ${promptTokens} tokens, and no more than ${model.contextTokens - 1} leave room for an answer.`,
      { details: { needed: promptTokens + 1, available: model.contextTokens, over } },
    );
  }
  const bias = await biasById(scorer, sampling.bias, signal);
  const ends = new Set([
    ...endTokens,
    ...model.reservedTokens.filter(({ kind }) => kind === "control").map(({ id }) => id),
  ]);
  const random = seededRandom(sampling.seed);
  const stream = new TextStream(request.stop);
  const most = Math.min(request.maxTokens, room);
  const spent = { evaluated: 0, reused: 0 };

  for (let made = 0; made < most; made++) {
    signal.throwIfAborted();
    const read = {
      at: tokens.length - 1,
      ids: Int32Array.from(bias.keys()),
      top: Math.min(mostCandidates, model.vocabSize),
    };
    const result = await scorer.score(
      { nodes: [{ parent: -1, tokens: Int32Array.from(tokens), reads: [read] }] },
      // The tokens of this very answer are always taken from the cache.
      { signal, reuse: reuse || made > 0, timeoutMs: Math.max(1, deadline - performance.now()) },
    );
    spent.evaluated += result.evaluatedTokens;
    if (made === 0) spent.reused = result.reusedTokens;
    const next = result.nodes[0]?.[0];
    if (next?.top === undefined) throw new OptioError("internal", "The scorer left the next tokens out.");
    const weighted = weigh(candidatesOf(next, [...bias.keys()]), sampling, bias);
    const id = draw(weighted, random());
    if (id === undefined) throw new OptioError("non_finite_scores", "There is no token to draw.");
    if (ends.has(id)) {
      yield { kind: "end", reason: "stop", text: stream.end(), usage: usageOf(promptTokens, made, spent) };
      return;
    }
    const named = await namer(
      scorer,
      [id, ...next.top.ids.subarray(0, topTokens), ...idsOf(weighted, topTokens)],
      signal,
    );
    const token = named(id, logProbabilityOf(next, id, bias));
    const text = stream.push(token.bytes);
    const { ids, logits } = next.top;
    yield {
      kind: "token",
      token,
      text,
      top: [...ids.subarray(0, topTokens)].map((each, index) => named(each, (logits[index] ?? 0) - next.logSumExp)),
      drawnFrom: weighted.slice(0, topTokens).map(({ id: each, probability }) => named(each, Math.log(probability))),
    };
    if (stream.stopped) {
      yield { kind: "end", reason: "stop", text: "", usage: usageOf(promptTokens, made + 1, spent) };
      return;
    }
    tokens.push(id);
  }
  yield { kind: "end", reason: "length", text: stream.end(), usage: usageOf(promptTokens, most, spent) };
}

/** The most probable tokens, and those with a bias wherever they are. */
function candidatesOf({ logits, top }: ReadResult, biased: readonly number[]) {
  const byId = new Map(biased.map((id, index) => [id, logits[index] ?? Number.NEGATIVE_INFINITY]));
  for (const [index, id] of top?.ids.entries() ?? []) byId.set(id, top?.logits[index] ?? Number.NEGATIVE_INFINITY);
  return [...byId].map(([id, logit]) => ({ id, logit }));
}

/** Of the model itself, before any bias or temperature. */
function logProbabilityOf(
  { logits, logSumExp, top }: ReadResult,
  id: number,
  bias: ReadonlyMap<number, number>,
): number {
  const place = top?.ids.indexOf(id) ?? -1;
  const logit = place >= 0 ? top?.logits[place] : logits[[...bias.keys()].indexOf(id)];
  return (logit ?? Number.NEGATIVE_INFINITY) - logSumExp;
}

async function biasById(
  scorer: Scorer,
  bias: ChatRequest["sampling"]["bias"],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, number>> {
  const texts = bias.flatMap(([token]) => (typeof token === "string" ? [{ text: token, special: false }] : []));
  const tokenized = texts.length === 0 ? [] : await scorer.tokenize(texts, { signal });
  const byText = new Map(texts.map(({ text }, index) => [text, [...(tokenized[index] ?? [])]]));
  const { vocabSize } = scorer.info.model;
  return new Map(
    bias.flatMap(([token, value]) => {
      const ids = typeof token === "number" ? [token] : (byText.get(token) ?? []);
      return ids.filter((id) => id >= 0 && id < vocabSize).map((id) => [id, value] as const);
    }),
  );
}

/** Looks the bytes of several tokens up in one call. */
async function namer(scorer: Scorer, ids: readonly number[], signal: AbortSignal) {
  const different = [...new Set(ids)];
  const pieces = await scorer.pieces(Int32Array.from(different), { signal });
  const byId = new Map(different.map((id, index) => [id, pieces[index] ?? new Uint8Array()]));
  return (id: number, logProbability: number): TokenProbability => ({
    id,
    bytes: byId.get(id) ?? new Uint8Array(),
    logProbability,
  });
}

function idsOf(weighted: readonly Weighted[], count: number): readonly number[] {
  return weighted.slice(0, count).map(({ id }) => id);
}

function usageOf(inputTokens: number, outputTokens: number, spent: { evaluated: number; reused: number }): Usage {
  return {
    inputTokens,
    outputTokens,
    evaluatedTokens: spent.evaluated,
    reusedTokens: spent.reused,
    reusedPriors: 0,
  };
}
