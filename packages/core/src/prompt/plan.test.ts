import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byteScorer, reserved, textOf } from "../../test/byte-scorer.js";
import type { Readout } from "../engines/engine.js";
import { choice } from "../questions/choice.js";
import { noul } from "../questions/noul.js";
import type { Question } from "../questions/question.js";
import type { ScorePlan, ScoreResult, Scorer } from "../scorer/scorer.js";
import { labelSource } from "./labels.js";
import { type PassSpec, type PromptContext, planPasses } from "./plan.js";
import { builtInProfile } from "./profile.js";
import { preparePromptFrame } from "./prompt-frame.js";

const chatml = readFileSync(new URL("../../test/templates/smollm2-135m-instruct.jinja", import.meta.url), "utf8");
const { signal } = new AbortController();
const letter: Readout = { kind: "letter", orders: 1, prior: false, length: "total" };
const sequence: Readout = { kind: "sequence", orders: 1, prior: false, length: "total" };

async function contextFor(scorer: Scorer, profileId = "state-first"): Promise<PromptContext> {
  const profile = builtInProfile(profileId);
  const frame = await preparePromptFrame(scorer, profile.system, signal);
  return { scorer, profile, frame, labels: labelSource(scorer, frame) };
}

const spec = (question: Question, stateText: string, order?: readonly number[]): PassSpec => ({
  question,
  stateText,
  state: "actual",
  order: order ?? question.options.map((_, index) => index),
});

/** Tokens of every path of a plan that ends in a node with reads. */
function promptsOf(plan: Awaited<ReturnType<typeof planPasses>>): readonly (readonly number[])[] {
  const paths: number[][] = [];
  return plan.plan.nodes.flatMap((node, index) => {
    paths[index] = [...(paths[node.parent] ?? []), ...node.tokens];
    return node.reads.length === 0 ? [] : [paths[index]];
  });
}

const team = choice("Which team?", [
  ["billing", "Invoices"],
  ["bilateral", "Treaties"],
  ["sales", "Offers"],
]);

describe("planPasses", () => {
  it("writes the prompt of the letter readout as the profile says", async () => {
    const context = await contextFor(byteScorer(chatml));
    const plan = await planPasses(context, letter, [spec(team, "My bill is wrong.")], signal);
    expect(promptsOf(plan).map(textOf)).toMatchInlineSnapshot(`
      [
        "<|im_start|>system
      You are a decision function. You read the input and pick the single best option.<|im_end|>
      <|im_start|>user
      Input:
      My bill is wrong.

      Question: Which team?

      Options:
      A) billing: Invoices
      B) bilateral: Treaties
      C) sales: Offers

      Reply with the letter of the best option only.<|im_end|>
      <|im_start|>assistant
      ",
      ]
    `);
  });

  it("puts the question first when the profile does, and shares it between states", async () => {
    const context = await contextFor(byteScorer(chatml), "question-first");
    const plan = await planPasses(context, letter, [spec(team, "One."), spec(team, "Two.")], signal);
    const [root] = plan.plan.nodes;
    expect(textOf(root?.tokens ?? [])).toMatch(/C\) sales: Offers\n\nInput:\n$/);
    expect(promptsOf(plan).map((prompt) => textOf(prompt).includes("Input:\nTwo."))).toEqual([false, true]);
  });

  it("evaluates the state once for several questions", async () => {
    const context = await contextFor(byteScorer(chatml));
    const angry = noul("Angry?");
    const together = await planPasses(
      context,
      letter,
      [spec(team, "x".repeat(500)), spec(angry, "x".repeat(500))],
      signal,
    );
    const [root, ...branches] = together.plan.nodes;
    expect(textOf(root?.tokens ?? [])).toMatch(/x{500}\n\nQuestion: $/);
    expect(branches.every((node) => !textOf(node.tokens).includes("xx"))).toBe(true);
  });

  it("reads each letter for the option that it stood for, in any order of the options", async () => {
    const scorer = byteScorer(chatml);
    const context = await contextFor(scorer);
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([0, 1, 2], { minLength: 3 }), async (order) => {
        const plan = await planPasses(context, letter, [spec(team, "My bill.", order)], signal);
        const [pass] = plan.toPasses(await scorer.score(plan.plan));
        const prompt = promptsOf(plan)[0] ?? [];
        const reading = pass?.reading;
        if (reading?.kind !== "letter") throw expect.fail("not a letter reading");
        order.forEach((option, place) => {
          const wanted = scorer.expected(prompt, "ABC".charCodeAt(place));
          expect(reading.logits[option]).toBeCloseTo(wanted.logit, 5);
          expect(reading.logSumExp).toBeCloseTo(wanted.logSumExp, 5);
        });
      }),
    );
  });

  it("gives an option the same score wherever it stands, when the model looks only at its text", async () => {
    const scorer = byteScorer(chatml);
    scorer.score = async (plan) => scoreByLine(plan);
    const context = await contextFor(scorer);
    const many = choice(
      "Which?",
      Array.from({ length: 30 }, (_, index): [string, string] => [`option ${index}`, `meaning ${index * index}`]),
    );
    const readings = async (order?: readonly number[]) => {
      const plan = await planPasses(context, letter, [spec(many, "x", order)], signal);
      const [pass] = plan.toPasses(await scorer.score(plan.plan));
      return pass?.reading;
    };
    const asWritten = await readings();
    const places = many.options.map((_, index) => index);
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(places, { minLength: places.length }), async (order) => {
        expect(await readings(order)).toEqual(asWritten);
      }),
      { numRuns: 30 },
    );
  });

  it("gives every token of an option's text and its end the log-probability that the whole prompt gives it", async () => {
    const scorer = byteScorer(chatml);
    const context = await contextFor(scorer);
    const plan = await planPasses(
      context,
      sequence,
      [spec(team, "My bill."), spec(noul("Angry?"), "My bill.")],
      signal,
    );
    const passes = plan.toPasses(await scorer.score(plan.plan));
    const heads = promptsOf(plan).filter((prompt) => textOf(prompt).endsWith("assistant\n"));
    expect(heads).toHaveLength(2);
    [team, noul("Angry?")].forEach((question, index) => {
      const reading = passes[index]?.reading;
      if (reading?.kind !== "sequence") throw expect.fail("not a sequence reading");
      question.options.forEach((option, at) => {
        const tokens = [...new TextEncoder().encode(option.text ?? option.key), 257];
        const wanted = tokens.map((token, place) => {
          const { logit, logSumExp } = scorer.expected([...(heads[index] ?? []), ...tokens.slice(0, place)], token);
          return logit - logSumExp;
        });
        expect(reading.tokenLogProbs[at]).toHaveLength(tokens.length);
        reading.tokenLogProbs[at]?.forEach((value, place) => expect(value).toBeCloseTo(wanted[place] ?? Number.NaN, 4));
      });
    });
  });

  it("reads options without an end where the vocabulary has no token for it", async () => {
    const bare = byteScorer("{% for m in messages %}{{ m.content }}\n{% endfor %}");
    const scorer = { ...bare, info: { ...bare.info, model: { ...bare.info.model, eotToken: -1, eosToken: -1 } } };
    const context = await contextFor(scorer);
    const plan = await planPasses(context, sequence, [spec(noul("ok?"), "x")], signal);
    const [pass] = plan.toPasses(await scorer.score(plan.plan));
    expect(pass?.reading).toMatchObject({ kind: "sequence", tokenLogProbs: [{ length: 3 }, { length: 2 }] });
  });

  it("takes an option's tokens from behind what stands before the answer, where a vocabulary puts a space first", async () => {
    const scorer = byteScorer(chatml);
    const tokenize = scorer.tokenize.bind(scorer);
    scorer.tokenize = async (texts) =>
      (await tokenize(texts)).map((tokens, index) => (texts[index]?.special ? tokens : Int32Array.of(32, ...tokens)));
    const plan = await planPasses(await contextFor(scorer), sequence, [spec(noul("ok?"), "x")], signal);
    const branches = plan.plan.nodes.map(({ tokens }) => textOf(tokens)).slice(-2);
    expect(branches).toEqual(["yes", "no"]);
  });

  it("takes an option's tokens alone where its first letter would melt into what stands before", async () => {
    const scorer = byteScorer(chatml);
    const tokenize = scorer.tokenize.bind(scorer);
    const merged = 10_000;
    // A vocabulary with a token for a line break and a "y".
    scorer.tokenize = async (texts) =>
      (await tokenize(texts)).map((tokens) => {
        const at = tokens.findIndex((token, place) => token === 10 && tokens[place + 1] === 121);
        return at === -1 ? tokens : Int32Array.of(...tokens.slice(0, at), merged, ...tokens.slice(at + 2));
      });
    const plan = await planPasses(await contextFor(scorer), sequence, [spec(noul("ok?"), "x")], signal);
    expect(plan.plan.nodes.flatMap(({ tokens }) => [...tokens])).not.toContain(merged);
    expect(plan.plan.nodes.map(({ tokens }) => textOf(tokens)).slice(-2)).toEqual(["yes", "no"]);
  });

  it("evaluates what options have in common once", async () => {
    const context = await contextFor(byteScorer(chatml));
    const longer = choice("Which?", ["abcdefgh-1", "abcdefgh-2"]);
    const plan = await planPasses(context, sequence, [spec(longer, "x")], signal);
    const evaluated = plan.plan.nodes.map((node) => textOf(node.tokens));
    expect(evaluated.filter((text) => text.includes("abcdefgh-"))).toHaveLength(1 + 1);
  });

  it("never lets data become a control token", async () => {
    const scorer = byteScorer(chatml);
    const context = await contextFor(scorer);
    const markers = fc.constantFrom(...reserved.map(({ text }) => text), "<|im_start|>system\n", "<tool_call", "call>");
    const hostile = fc
      .array(fc.oneof(markers, fc.string({ unit: "grapheme" })), { maxLength: 8 })
      .map((parts) => parts.join(""));
    const clean = promptsOf(await planPasses(context, letter, [spec(noul("ok?"), "x")], signal))[0] ?? [];
    const own = clean.filter((token) => token > 255).length;
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (state, text) => {
        const question = noul(`Is it ${text}?`, { true: text, false: "no" });
        const plan = await planPasses(context, letter, [spec(question, state)], signal);
        const [prompt = []] = promptsOf(plan);
        expect(prompt.filter((token) => token > 255)).toHaveLength(own);
        expect(textOf(prompt)).toContain(fill(state));
      }),
    );
    // Half surrogates have no bytes.
    function fill(text: string): string {
      return text.replace(/\p{Surrogate}/gu, "\ufffd");
    }
  });

  it("says by how many tokens a text is too long, before scoring anything", async () => {
    const scorer = byteScorer(chatml, { contextTokens: 600 });
    const context = await contextFor(scorer);
    const fits = await planPasses(context, letter, [spec(team, "")], signal);
    const room = 600 - (promptsOf(fits)[0]?.length ?? 0);
    await expect(planPasses(context, letter, [spec(team, "x".repeat(room))], signal)).resolves.toBeDefined();
    await expect(planPasses(context, letter, [spec(team, "x".repeat(room + 3))], signal)).rejects.toMatchObject({
      code: "context_too_long",
      details: { needed: 603, available: 600, over: 3 },
    });
    expect(scorer.calls.score).toBe(0);
  });

  it("tokenises everything new in one call", async () => {
    const scorer = byteScorer(chatml);
    const context = await contextFor(scorer);
    await planPasses(context, letter, [spec(team, "warm the labels")], signal);
    const before = scorer.calls.tokenize;
    await planPasses(context, letter, [spec(team, "x"), spec(noul("y?"), "x")], signal);
    expect(scorer.calls.tokenize - before).toBe(1);
  });
});

/** The logit of a label depends only on what its line says. */
function scoreByLine(plan: ScorePlan): ScoreResult {
  const paths: number[][] = [];
  const nodes = plan.nodes.map(({ parent, tokens, reads }, index) => {
    paths[index] = [...(paths[parent] ?? []), ...tokens];
    const prompt = textOf(paths[index] ?? []);
    return reads.map(({ ids }) => ({
      logits: Float32Array.from(ids, (id) => {
        const line = new RegExp(`^${textOf([id])}\\) (.*)$`, "m").exec(prompt)?.[1] ?? "";
        return [...line].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 1009, 7);
      }),
      logSumExp: 2_000,
    }));
  });
  return { nodes, evaluatedTokens: 0, reusedTokens: 0, prefillMs: 0, branchesMs: 0 };
}

describe("labels", () => {
  it("are refused when the vocabulary has too few single-token letters", async () => {
    const context = await contextFor(byteScorer(chatml));
    await expect(context.labels(52, signal)).resolves.toHaveLength(52);
    await expect(context.labels(53, signal)).rejects.toMatchObject({
      code: "too_many_options",
      details: { labels: 52 },
    });
  });

  it("are refused when no letter stays a token of its own behind the template", async () => {
    const scorer = byteScorer(chatml);
    const tokenize = scorer.tokenize.bind(scorer);
    const context = await contextFor(scorer);
    // A vocabulary in which a letter merges with the line break before it.
    scorer.tokenize = async (texts) =>
      (await tokenize(texts)).map((tokens) => {
        const at = tokens.lastIndexOf(10);
        const next = tokens[at + 1];
        return next === undefined
          ? tokens
          : Int32Array.of(...tokens.slice(0, at), 1_000 + next, ...tokens.slice(at + 2));
      });
    await expect(context.labels(2, signal)).rejects.toMatchObject({ code: "labels_unusable" });
  });
});
