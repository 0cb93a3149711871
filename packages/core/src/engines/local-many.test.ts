import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ByteScorerOptions, byteScorer } from "../../test/byte-scorer.js";
import { OptioError } from "../errors.js";
import { builtInProfile } from "../prompt/profile.js";
import { choice } from "../questions/choice.js";
import { noul } from "../questions/noul.js";
import type { Settled } from "../settled.js";
import type { Engine, ManyDecisionsRequest, NamedQuestion, RawDecision, Readout, State } from "./engine.js";
import { createLocalEngine } from "./local.js";

const chatml =
  "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}" +
  "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";
const letter: Readout = { kind: "letter", orders: 1, prior: false, length: "total" };
const team = { id: "team", question: choice("Which team should answer?", ["billing", "technical", "sales"]) };
const angry = { id: "angry", question: noul("Is the customer angry?") };
const call = { signal: new AbortController().signal, timeoutMs: Number.POSITIVE_INFINITY };
const text = (value: string): State => ({ kind: "text", text: value });

async function engineOn(profile: string, options: ByteScorerOptions = {}) {
  const scorer = byteScorer(chatml, options);
  const model = { identity: { id: "bytes" }, contextTokens: 4_096, profile: builtInProfile(profile), readout: letter };
  return { scorer, engine: await createLocalEngine({ kind: "wasm", scorer, model }) };
}

async function many(engine: Engine, request: Partial<ManyDecisionsRequest>, options = call) {
  const outcomes: Settled<RawDecision>[] = [];
  const all: ManyDecisionsRequest = { states: [], questions: [team], readout: {}, reuse: true, ...request };
  for await (const outcome of engine.decideMany?.(all, options) ?? expect.fail("no decideMany")) outcomes.push(outcome);
  return outcomes;
}

const answered = (outcomes: readonly Settled<RawDecision>[]): readonly RawDecision[] =>
  outcomes.map((outcome) => {
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  });

describe("many states on a local engine", () => {
  const readouts = fc.record({
    kind: fc.constantFrom("letter" as const, "sequence" as const),
    orders: fc.constantFrom(1 as const, 2 as const),
    prior: fc.boolean(),
    length: fc.constant("total" as const),
  });
  const states = fc.array(
    fc.oneof(fc.constantFrom("Same.", "Same beginning, another end."), fc.string({ minLength: 1, maxLength: 100 })),
    { minLength: 1, maxLength: 9 },
  );
  const profiles = fc.constantFrom("state-first", "question-first");

  it("gives every state, in order, what decide gives it alone", async () => {
    await fc.assert(
      fc.asyncProperty(states, readouts, profiles, fc.boolean(), async (texts, readout, profile, reuse) => {
        const questions = [team, angry];
        // So small a context that not all states of a call fit into it together.
        const { engine } = await engineOn(profile, { contextTokens: 1_500 });
        const together = answered(await many(engine, { states: texts.map(text), questions, readout, reuse }));
        const { engine: other } = await engineOn(profile, { contextTokens: 1_500 });
        for (const [index, value] of texts.entries()) {
          const alone = await other.decide({ state: text(value), questions, readout, reuse: false }, call);
          expect(together[index]?.questions).toEqual(alone.questions);
          expect(together[index]?.readout).toEqual(alone.readout);
        }
      }),
      { numRuns: 20 },
    );
  });

  it("counts every token of a state once, as evaluated or as reused, and all that went through the model", async () => {
    await fc.assert(
      fc.asyncProperty(states, readouts, profiles, async (texts, readout, profile) => {
        const { engine, scorer } = await engineOn(profile);
        const request = { questions: [team, angry], readout };
        const together = answered(await many(engine, { ...request, states: texts.map(text) }));
        const through = together.reduce((sum, { usage }) => sum + usage.evaluatedTokens, 0);
        expect(through).toBe(scorer.calls.evaluatedTokens);
        for (const [index, value] of texts.entries()) {
          const { usage } = together[index] ?? expect.fail("no decision");
          expect(usage.inputTokens).toBe(usage.evaluatedTokens + usage.reusedTokens);
          const alone = { ...request, readout: { ...readout, prior: false }, state: text(value), reuse: false };
          const least = (await engine.decide(alone, call)).usage.inputTokens;
          expect(usage.inputTokens).toBeGreaterThanOrEqual(least);
        }
      }),
      { numRuns: 20 },
    );
  });

  it("evaluates the question once when it comes first, in one plan, and keeps it for the next call", async () => {
    const { engine, scorer } = await engineOn("question-first");
    const first = answered(await many(engine, { states: ["One.", "Two.", "Three."].map(text) }));
    expect(scorer.calls.score).toBe(1);
    const [root, ...branches] = scorer.plans[0]?.nodes ?? [];
    expect(branches).toHaveLength(3);
    const shared = root?.tokens.length ?? 0;
    expect(first.map(({ usage }) => usage.reusedTokens)).toEqual([0, shared, shared]);
    const next = answered(await many(engine, { states: ["Eight.", "Four."].map(text) }));
    expect(next.map(({ usage }) => usage.reusedTokens)).toEqual([shared, shared]);
    expect(next.map(({ batchedStates }) => batchedStates)).toEqual([2, 2]);
  });

  it("evaluates once what the states begin with when they come first", async () => {
    const { engine, scorer } = await engineOn("state-first");
    const page = "The same long page. ".repeat(20);
    const decisions = answered(await many(engine, { states: [`${page}One.`, `${page}Two.`].map(text) }));
    expect(scorer.calls.score).toBe(1);
    expect(decisions[1]?.usage.reusedTokens).toBeGreaterThan(page.length);
  });

  it("takes no more states together than fit into the context", async () => {
    const { engine, scorer } = await engineOn("question-first", { contextTokens: 1_000 });
    const long = Array.from({ length: 10 }, (_, index) => text(`${index} ${"x".repeat(300)}`));
    expect(answered(await many(engine, { states: long }))).toHaveLength(10);
    for (const { nodes } of scorer.plans) {
      expect(nodes.reduce((sum, { tokens }) => sum + tokens.length, 0)).toBeLessThanOrEqual(1_000);
    }
    expect(scorer.calls.score).toBeLessThan(10);
  });

  it("measures priors once a call", async () => {
    const { engine, scorer } = await engineOn("question-first");
    const readout = { prior: true };
    const decisions = answered(await many(engine, { states: ["One.", "Two."].map(text), readout }));
    expect(decisions.map(({ usage }) => usage.reusedPriors)).toEqual([0, 1]);
    expect(scorer.calls.score).toBe(2);
  });

  it("puts every state into a plan of its own without reuse", async () => {
    const { engine, scorer } = await engineOn("question-first");
    const decisions = answered(await many(engine, { states: ["One.", "Two.", "One."].map(text), reuse: false }));
    expect(scorer.calls.score).toBe(3);
    expect(decisions.map(({ usage, batchedStates }) => [usage.reusedTokens, batchedStates])).toEqual([
      [0, 1],
      [0, 1],
      [0, 1],
    ]);
  });

  it("finds the states that are at fault, before and during the evaluation, and answers the others", async () => {
    const { engine, scorer } = await engineOn("question-first", { contextTokens: 800 });
    const score = scorer.score.bind(scorer);
    scorer.score = async (plan, options) => {
      const crash = plan.nodes.some(({ tokens }) => String.fromCharCode(...tokens).includes("poison"));
      if (crash) throw new OptioError("non_finite_scores", "the model's output is not finite");
      return score(plan, options);
    };
    const texts = ["One.", "x".repeat(900), "Two.", "poison", "Three.", "Four."];
    const outcomes = await many(engine, { states: texts.map(text) });
    expect(outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason.code : "answered"))).toEqual([
      "answered",
      "context_too_long",
      "answered",
      "non_finite_scores",
      "answered",
      "answered",
    ]);
  });

  it("throws what is the fault of no state, and the signal's reason", async () => {
    const { engine, scorer } = await engineOn("question-first");
    scorer.score = async () => {
      throw new OptioError("timeout", "late");
    };
    await expect(many(engine, { states: [text("One."), text("Two.")] })).rejects.toMatchObject({ code: "timeout" });
    const controller = new AbortController();
    scorer.score = async () => {
      controller.abort("enough");
      throw new OptioError("internal", "cancelled");
    };
    const aborted = many(engine, { states: [text("One.")] }, { ...call, signal: controller.signal });
    await expect(aborted).rejects.toBe("enough");
  });
});

describe("what a local engine reuses", () => {
  const decide = (engine: Engine, value: string, questions: readonly NamedQuestion[] = [team], reuse = true) =>
    engine.decide({ state: text(value), questions, readout: {}, reuse }, call);

  it("puts many questions about a state into one plan, in which the state stands once", async () => {
    const { engine, scorer } = await engineOn("state-first");
    const questions = Array.from({ length: 8 }, (_, index) => ({ id: `q${index}`, question: noul(`Is it ${index}?`) }));
    await decide(engine, "A state of its own. ".repeat(10), questions);
    expect(scorer.calls.score).toBe(1);
    const holding = scorer.plans[0]?.nodes.filter(({ tokens }) => String.fromCharCode(...tokens).includes("A state"));
    expect(holding).toHaveLength(1);
  });

  it.each([
    ["state-first", true],
    ["state-first", false],
    ["question-first", true],
    ["question-first", false],
  ])(
    "does not evaluate again what the profile puts first: %s, memory that can be cut: %s",
    async (profile, truncatable) => {
      const { engine } = await engineOn(profile, { truncatable });
      const stateFirst = profile === "state-first";
      const shared = stateFirst ? "My bill is wrong. ".repeat(10) : "One.";
      const first = await decide(engine, shared);
      const second = stateFirst ? await decide(engine, shared, [angry]) : await decide(engine, "Two.");
      expect(first.usage.reusedTokens).toBe(0);
      const kept = stateFirst ? shared.length : team.question.instructions.length;
      expect(second.usage.reusedTokens).toBeGreaterThan(kept);
      expect(second.usage.inputTokens).toBe(second.usage.evaluatedTokens + second.usage.reusedTokens);
      expect((await decide(engine, shared, [team], false)).usage.reusedTokens).toBe(0);
    },
  );
});
