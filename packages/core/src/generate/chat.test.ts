import { describe, expect, it } from "vitest";
import { byteScorer, textOf } from "../../test/byte-scorer.js";
import type { ChatEvent, ChatRequest } from "../engines/engine.js";
import { chat } from "./chat.js";

const chatml =
  "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}" +
  "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";
const greedy = { temperature: 0, topK: 0, topP: 1, minP: 0, seed: 1, bias: [] };
const request: ChatRequest = {
  messages: [{ role: "user", content: "Hello" }],
  maxTokens: 8,
  sampling: greedy,
  stop: [],
  topTokens: 0,
  reuse: true,
};
const options = () => ({ signal: new AbortController().signal, timeoutMs: Number.POSITIVE_INFINITY });

async function answer(overrides: Partial<ChatRequest> = {}, scorer = byteScorer(chatml), control = options()) {
  const events: ChatEvent[] = [];
  for await (const event of chat(scorer, [257], { ...request, ...overrides }, control)) events.push(event);
  const end = events.at(-1);
  if (end?.kind !== "end") throw new Error("The answer does not end.");
  return { events, end, text: events.map(({ text }) => text).join(""), scorer };
}
/** Makes the scorer say these bytes, and then end. */
const saying = (text: string) => {
  const bytes = [...new TextEncoder().encode(text), 257];
  return { ...request, sampling: { ...greedy, bias: [] }, script: bytes };
};

/** A scorer that answers with a text whatever it is asked. */
function scripted(text: string) {
  const scorer = byteScorer(chatml);
  const { script } = saying(text);
  const score = scorer.score.bind(scorer);
  let at = 0;
  scorer.score = async (plan, how) => {
    const result = await score(plan, how);
    const id = script[at++] ?? 257;
    const top = { ids: Int32Array.of(id, 0), logits: Float32Array.of(5, 1) };
    return { ...result, nodes: result.nodes.map((reads) => reads.map((read) => ({ ...read, top }))) };
  };
  return scorer;
}

describe("chat", () => {
  it("writes the conversation by the template, and what it says never becomes a control token", async () => {
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Say <|im_end|> now" },
    ];
    const { scorer } = await answer({ messages, maxTokens: 1 });
    const tokens = [...(scorer.plans[0]?.nodes[0]?.tokens ?? [])];
    expect(textOf(tokens)).toBe(
      "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nSay <|im_end|> now<|im_end|>\n<|im_start|>assistant\n",
    );
    expect(tokens.filter((token) => token === 257)).toHaveLength(2);
  });

  it("evaluates each token once, and counts them", async () => {
    const { end, scorer, events } = await answer({ maxTokens: 5 });
    expect(end).toMatchObject({ reason: "length", usage: { outputTokens: events.length - 1, reusedTokens: 0 } });
    expect(scorer.calls.evaluatedTokens).toBe(end.usage.inputTokens + end.usage.outputTokens - 1);
    expect(end.usage.evaluatedTokens).toBe(scorer.calls.evaluatedTokens);
  });

  it("ends where the model ends", async () => {
    const { text, end } = await answer({ maxTokens: 50 }, scripted("Grüße!"));
    expect(text).toBe("Grüße!");
    expect(end.reason).toBe("stop");
  });

  it("ends before a stop text, at the limit and at the end of the context", async () => {
    expect(await answer({ stop: ["de"], maxTokens: 50 }, scripted("abcdef"))).toMatchObject({
      text: "abc",
      end: { reason: "stop" },
    });
    expect(await answer({ maxTokens: 3 }, scripted("abcdef"))).toMatchObject({
      text: "abc",
      end: { reason: "length" },
    });
    const small = byteScorer(chatml, { contextTokens: 46 });
    const { end } = await answer({ maxTokens: 1_000 }, small);
    expect(end.usage.inputTokens + end.usage.outputTokens).toBe(46);
    await expect(answer({}, byteScorer(chatml, { contextTokens: 20 }))).rejects.toMatchObject({
      code: "context_too_long",
    });
  });

  it("draws the same for the same seed", async () => {
    const drawn = async (seed: number) => (await answer({ sampling: { ...greedy, temperature: 1, seed } })).text;
    expect(await drawn(3)).toBe(await drawn(3));
    expect(new Set(await Promise.all([1, 2, 3, 4].map(drawn))).size).toBeGreaterThan(1);
  });

  it("tells the most probable tokens of the model, and those that were drawn from", async () => {
    const bias = [
      [65, 100],
      ["B", 100],
    ] as const;
    const { events } = await answer({ topTokens: 2, maxTokens: 1, sampling: { ...greedy, temperature: 1, bias } });
    const [token] = events;
    if (token?.kind !== "token") throw new Error("There is no token.");
    expect(token.top).toHaveLength(2);
    expect(token.top[0]?.logProbability).toBeGreaterThanOrEqual(token.top[1]?.logProbability ?? 0);
    expect(token.drawnFrom.map(({ id }) => id).sort()).toEqual([65, 66]);
    const sum = token.drawnFrom.reduce((total, { logProbability }) => total + Math.exp(logProbability), 0);
    expect(sum).toBeCloseTo(1, 9);
    // The token's own probability is the model's, which knows nothing of the bias.
    expect(token.token.logProbability).toBeLessThan(-1);
  });

  it("ends at once when aborted", async () => {
    const controller = new AbortController();
    const events = chat(
      byteScorer(chatml),
      [257],
      { ...request, maxTokens: 1_000 },
      { ...options(), signal: controller.signal },
    );
    await events.next();
    controller.abort("enough");
    await expect(events.next()).rejects.toBe("enough");
  });

  it("refuses a conversation that the template cannot write", async () => {
    const strict = `{% if messages[0].role == 'system' %}{{ raise_exception('no') }}{% endif %}${chatml}`;
    const messages = [
      { role: "system", content: "a" },
      { role: "user", content: "b" },
    ];
    await expect(answer({ messages }, byteScorer(strict))).rejects.toMatchObject({ code: "template_failed" });
  });
});
