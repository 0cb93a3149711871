import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { CallControl } from "./call.js";
import { createDecider, type Decider } from "./decider.js";
import type { EngineSource } from "./engines/engine.js";
import { choice } from "./questions/choice.js";
import { noul } from "./questions/noul.js";
import { score } from "./questions/score.js";
import { fake } from "./testing/fake.js";

const questions = {
  team: choice("Which team?", ["billing", "technical"]),
  angry: noul("Angry?"),
  urgency: score("How urgent?", ["later", "today", "now"]),
};
const state = "My bill is wrong.";

describe("a decider", () => {
  it("answers with the types of its questions", async () => {
    const engine = fake({ answers: { team: "billing", angry: { true: 0.25, false: 0.75 }, urgency: [0, 0.5, 0.5] } });
    await using decider = createDecider({ engine });
    const { answers } = await decider.decide({ state, questions });
    expectTypeOf(answers.team.choice).toEqualTypeOf<"billing" | "technical">();
    expectTypeOf(answers.angry.noul).toEqualTypeOf<number>();
    expectTypeOf(answers.urgency.score).toEqualTypeOf<number>();
    expect(answers.team.choice).toBe("billing");
    expect(answers.angry).toMatchObject({ noul: 0.25, value: false });
    expect(answers.urgency.score).toBeCloseTo(1.5, 12);
  });

  it("takes a schema for the questions, and types the answers by it", async () => {
    const schema = z.object({
      team: z.enum(["billing", "technical"]).describe("Which team?"),
      angry: z.boolean().describe("Angry?"),
    });
    await using decider = createDecider({ engine: fake({ answers: { team: "technical" } }) });
    const { answers } = await decider.decide({ state, questions: schema });
    expectTypeOf(answers.team.choice).toEqualTypeOf<"billing" | "technical">();
    expect(answers.team.choice).toBe("technical");
  });

  it("starts its engine once, at the first use", async () => {
    const engine = fake();
    await using decider = createDecider({ engine });
    expect(engine.starts).toBe(0);
    await Promise.all([decider.decide({ state, questions }), decider.decide({ state, questions }), decider.ready()]);
    expect(engine.starts).toBe(1);
  });

  it("tries a start that failed anew at the next call", async () => {
    let starts = 0;
    const source = fake();
    await using decider = createDecider({
      engine: {
        kind: "fake",
        start: (options) => {
          starts += 1;
          return starts === 1 ? Promise.reject(new TypeError("no network")) : source.start(options);
        },
      },
    });
    await expect(decider.ready()).rejects.toThrow("no network");
    await expect(decider.decide({ state, questions })).resolves.toBeDefined();
  });

  it("lets calls wait for each other, bounded", async () => {
    const engine = fake({ delayMs: 20 });
    await using decider = createDecider({ engine, maxQueue: 1 });
    const calls = [1, 2, 3].map(() => decider.decide({ state, questions }));
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect(outcomes[2]).toMatchObject({ reason: { code: "queue_full" } });
  });

  it("rejects with the signal's own reason, waiting or running, and goes on", async () => {
    await using decider = createDecider({ engine: fake({ delayMs: 50 }) });
    const controller = new AbortController();
    const running = decider.decide({ state, questions, signal: controller.signal });
    const waiting = decider.decide({ state, questions, signal: controller.signal });
    const reason = new DOMException("the user left", "AbortError");
    setTimeout(() => controller.abort(reason), 10);
    await expect(running).rejects.toBe(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(decider.decide({ state, questions })).resolves.toBeDefined();
  });

  it("ends a call at its time limit, and takes the decider's where the call has none", async () => {
    await using decider = createDecider({ engine: fake({ delayMs: 1_000 }), timeoutMs: 20 });
    await expect(decider.decide({ state, questions })).rejects.toMatchObject({
      code: "timeout",
      details: { timeoutMs: 20 },
    });
    await expect(decider.decide({ state, questions, timeoutMs: 30 })).rejects.toMatchObject({
      details: { timeoutMs: 30 },
    });
  });

  const endless = (): EngineSource => ({
    kind: "fake",
    start: ({ signal }) =>
      new Promise((_, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
      }),
  });
  const slow = (): EngineSource => fake({ delayMs: 60_000 });
  const calls: Readonly<Record<string, (decider: Decider, control: CallControl) => Promise<unknown>>> = {
    ready: (decider, control) => decider.ready(control),
    decide: (decider, control) => decider.decide({ state, questions, ...control }),
    decideMany: (decider, control) => decider.decideMany({ states: [state, state], questions, ...control }),
  };
  const stages: readonly (readonly [string, string, () => EngineSource])[] = [
    ["ready", "the engine starts", endless],
    ["decide", "the engine starts", endless],
    ["decideMany", "the engine starts", endless],
    ["decide", "it runs", slow],
    ["decideMany", "it runs", slow],
  ];

  it.each(stages)("ends %s while %s: at once when aborted, and in time", async (name, _, engine) => {
    const call = calls[name];
    if (call === undefined) throw expect.fail("no such call");
    const decider = createDecider({ engine: engine() });
    const controller = new AbortController();
    const reason = new Error("enough");
    setTimeout(() => controller.abort(reason), 10);
    await expect(call(decider, { signal: controller.signal })).rejects.toBe(reason);
    await expect(call(decider, { timeoutMs: 20 })).rejects.toMatchObject({ code: "timeout" });
    const closed = call(decider, {});
    setTimeout(() => void decider.close(), 10);
    await expect(closed).rejects.toMatchObject({ code: "engine_closed" });
  });

  it("can be closed twice and during a call, and says so afterwards", async () => {
    const decider = createDecider({ engine: fake({ delayMs: 1_000 }) });
    const outcomes = Promise.allSettled([decider.decide({ state, questions }), decider.decide({ state, questions })]);
    setTimeout(() => void decider.close(), 10);
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { code: "engine_closed" } });
    await decider.close();
    await expect(decider.decide({ state, questions })).rejects.toMatchObject({ code: "engine_closed" });
    await expect(decider.ready()).rejects.toMatchObject({ code: "engine_closed" });
  });

  it("refuses bad input before its engine is started", async () => {
    const engine = fake();
    await using decider = createDecider({ engine });
    const bad = [
      [{ state: "", questions }, "invalid_state"],
      [{ state, questions: {} }, "invalid_question"],
      [{ state, questions, policy: { accept: 0.5, review: 0.9 } }, "invalid_setting"],
      [{ state, questions, minLabelMass: 2 }, "invalid_setting"],
      [{ state, questions, timeoutMs: -1 }, "invalid_setting"],
      [{ state, questions, confidence: "best" as "margin" }, "invalid_setting"],
    ] as const;
    for (const [request, code] of bad) await expect(decider.decide(request)).rejects.toMatchObject({ code });
    expect(engine.starts).toBe(0);
    expect(() => createDecider({ engine, maxQueue: -1 })).toThrow(/maxQueue/);
  });
});

describe("a decision", () => {
  it("carries actions by policy, with overrides of a call and of a question", async () => {
    const answers = { team: { billing: 0.9, technical: 0.1 }, angry: { true: 0.55, false: 0.45 } };
    await using decider = createDecider({ engine: fake({ answers }), policy: { accept: 0.7, review: 0.2 } });
    const actions = async (policy?: Parameters<typeof decider.decide>[0]["policy"]) => {
      const decision = await decider.decide({ state, questions, ...(policy === undefined ? {} : { policy }) });
      return [decision.answers.team.action, decision.answers.angry.action];
    };
    expect(await actions()).toEqual(["accept", "escalate"]);
    expect(await actions({ accept: 0.9, review: 0.05 })).toEqual(["review", "review"]);
    expect(await actions({ accept: 0.9, review: 0.05, questions: { angry: { accept: 0.1, review: 0 } } })).toEqual([
      "review",
      "accept",
    ]);
  });

  it("has no action without a policy, and names the formula of its confidence", async () => {
    await using decider = createDecider({ engine: fake({ answers: { team: { billing: 0.9, technical: 0.1 } } }) });
    const { answers } = await decider.decide({ state, questions, confidence: "margin" });
    expect(answers.team).not.toHaveProperty("action");
    expect(answers.team).toMatchObject({ confidenceFormula: "margin", confidence: expect.closeTo(0.8, 9) });
  });

  it("keeps the author's order of options that look like integers", async () => {
    await using decider = createDecider({ engine: fake({ answers: { n: "10" } }) });
    const { answers } = await decider.decide({ state, questions: { n: choice("How many?", ["10", "2", "1"]) } });
    expect(answers.n.distribution.map(({ option }) => option)).toEqual(["10", "2", "1"]);
  });
});
