import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { createDecider } from "./decider.js";
import { decideMany } from "./default-decider.js";
import type { OptioError } from "./errors.js";
import { choice } from "./questions/choice.js";
import { noul } from "./questions/noul.js";
import { fake } from "./testing/fake.js";

const questions = { team: choice("Which team?", ["billing", "technical"]), angry: noul("Angry?") };
const states = ["My bill is wrong.", { subject: "Export fails" }, [{ role: "user", content: "Hello?" }]];

describe("decideMany", () => {
  it("answers every state with the types of the questions, in the order of the states", async () => {
    const engine = fake({
      answers: {
        team: (state) => (state.kind === "text" ? "billing" : "technical"),
        angry: { true: 0.25, false: 0.75 },
      },
    });
    const { results } = await decideMany({ states, questions, engine });
    const teams = results.map((result) => {
      if (result.status === "rejected") {
        expectTypeOf(result.reason).toEqualTypeOf<OptioError>();
        throw result.reason;
      }
      expectTypeOf(result.value.answers.team.choice).toEqualTypeOf<"billing" | "technical">();
      expectTypeOf(result.value.answers.angry.noul).toEqualTypeOf<number>();
      return result.value.answers.team.choice;
    });
    expect(teams).toEqual(["billing", "technical", "technical"]);
    expectTypeOf(results[0]).toExtend<PromiseSettledResult<unknown> | undefined>();
  });

  it("takes a schema for the questions, and types the results by it", async () => {
    const schema = z.object({ team: z.enum(["billing", "technical"]).describe("Which team?") });
    const { results } = await decideMany({ states, questions: schema, engine: fake() });
    for (const result of results) {
      if (result.status === "fulfilled") {
        expectTypeOf(result.value.answers.team.choice).toEqualTypeOf<"billing" | "technical">();
      }
    }
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled"]);
  });

  it("answers as one decide a state does, and adds up what was used", async () => {
    await using decider = createDecider({ engine: fake(), policy: { accept: 0.9, review: 0.5 } });
    const { results, usage, timings } = await decider.decideMany({ states, questions });
    const singles = await Promise.all(states.map((state) => decider.decide({ state, questions })));
    expect(results.map((result) => (result.status === "fulfilled" ? result.value.answers : result.reason))).toEqual(
      singles.map(({ answers }) => answers),
    );
    expect(usage.inputTokens).toBe(singles.reduce((sum, single) => sum + single.usage.inputTokens, 0));
    expect(timings.totalMs).toBeGreaterThan(0);
  });

  it("keeps the failure of a state apart from the others", async () => {
    const engine = fake({ failWith: (call) => (call === 2 ? "context_too_long" : undefined) });
    await using decider = createDecider({ engine });
    const { results } = await decider.decideMany({
      states: ["one", "", "two", "three", undefined as never],
      questions,
    });
    expect(results.map((result) => (result.status === "rejected" ? result.reason.code : "answered"))).toEqual([
      "answered",
      "invalid_state",
      "context_too_long",
      "answered",
      "invalid_state",
    ]);
    expect(engine.calls).toBe(3);
  });

  it("makes a refused answer the result of its state alone", async () => {
    const engine = fake();
    const source = { kind: "fake", start: async () => withMass(await engine.start({})) } as const;
    await using decider = createDecider({ engine: source });
    const { results } = await decider.decideMany({
      states: ["low", { high: 1 }],
      questions: { angry: questions.angry },
      minLabelMass: 0.5,
    });
    expect(results).toMatchObject([
      { status: "rejected", reason: { code: "low_label_mass" } },
      { status: "fulfilled" },
    ]);
  });

  it("gives results as they are found, and progress by states", async () => {
    await using decider = createDecider({ engine: fake() });
    const seen: string[] = [];
    await decider.decideMany({
      states: ["one", "", "three"],
      questions,
      onResult: (result, index) => {
        if (result.status === "fulfilled") expectTypeOf(result.value.answers.angry.value).toEqualTypeOf<boolean>();
        seen.push(`${index} ${result.status}`);
      },
      onProgress: (progress) => {
        if (progress.phase === "states") seen.push(`${progress.done} of ${progress.total}`);
      },
    });
    expect(seen).toEqual(["0 fulfilled", "1 of 3", "1 rejected", "2 of 3", "2 fulfilled", "3 of 3"]);
  });

  it("rejects with the signal's own reason, and gives no result after that", async () => {
    await using decider = createDecider({ engine: fake({ delayMs: 5 }) });
    const controller = new AbortController();
    const reason = new DOMException("the user left", "AbortError");
    const found: number[] = [];
    const call = decider.decideMany({
      states: ["one", "two", "three"],
      questions,
      signal: controller.signal,
      onResult: (_, index) => {
        found.push(index);
        if (index === 1) controller.abort(reason);
      },
    });
    await expect(call).rejects.toBe(reason);
    await expect(decider.decide({ state: "next", questions })).resolves.toBeDefined();
    expect(found).toEqual([0, 1]);
  });

  it("has one time limit for the whole call", async () => {
    await using decider = createDecider({ engine: fake({ delayMs: 20 }) });
    const many = Array.from({ length: 100 }, (_, index) => `state ${index}`);
    let found = 0;
    const call = decider.decideMany({ states: many, questions, timeoutMs: 150, onResult: () => found++ });
    await expect(call).rejects.toMatchObject({ code: "timeout", details: { timeoutMs: 150 } });
    expect(found).toBeGreaterThan(0);
  });

  it("rejects when it is not one state that is at fault", async () => {
    for (const code of ["engine_closed", "too_many_options", "engine_start_failed"] as const) {
      await using decider = createDecider({ engine: fake({ failWith: code }) });
      await expect(decider.decideMany({ states, questions })).rejects.toMatchObject({ code });
    }
    const closing = createDecider({ engine: fake({ delayMs: 1_000 }) });
    const call = closing.decideMany({ states, questions });
    setTimeout(() => void closing.close(), 10);
    await expect(call).rejects.toMatchObject({ code: "engine_closed" });
  });

  it("lets calls that wait go between two states, though the queue be full", async () => {
    await using decider = createDecider({ engine: fake({ delayMs: 2 }), maxQueue: 1 });
    const order: string[] = [];
    const many = decider.decideMany({
      states: ["one", "two", "three", "four"],
      questions,
      onResult: (_, index) => {
        order.push(`state ${index}`);
        if (index === 0) void decider.decide({ state: "between", questions }).then(() => order.push("single"));
      },
    });
    await many;
    expect(order.indexOf("single")).toBeGreaterThan(0);
    expect(order.indexOf("single")).toBeLessThan(order.indexOf("state 3"));
  });

  it("refuses bad input before its engine is started, and starts none for no states", async () => {
    const engine = fake();
    await using decider = createDecider({ engine });
    const bad = [
      [{ states: "text" as never, questions }, "invalid_state"],
      [{ states, questions: {} }, "invalid_question"],
      [{ states, questions, minLabelMass: 2 }, "invalid_setting"],
      [{ states, questions, timeoutMs: 0 }, "invalid_setting"],
    ] as const;
    for (const [request, code] of bad) await expect(decider.decideMany(request)).rejects.toMatchObject({ code });
    await expect(decider.decideMany({ states: [], questions })).resolves.toMatchObject({
      results: [],
      usage: { inputTokens: 0 },
    });
    expect(engine.starts).toBe(0);
  });

  it("says so when an engine answers fewer states than it was asked about", async () => {
    const engine = await fake().start({});
    const lazy = { info: engine.info, decide: engine.decide, close: async () => undefined, async *decideMany() {} };
    await using decider = createDecider({ engine: lazy });
    await expect(decider.decideMany({ states, questions })).rejects.toMatchObject({ code: "invalid_distribution" });
  });
});

/** The engine with a label mass: what it gives as even is read as if little of the vocabulary had fallen on it. */
function withMass(engine: Awaited<ReturnType<ReturnType<typeof fake>["start"]>>): typeof engine {
  return {
    info: engine.info,
    close: () => engine.close(),
    decide: async (request, options) => {
      const raw = await engine.decide(request, options);
      const logSumExp = request.state.kind === "text" ? 5 : 1;
      return {
        ...raw,
        questions: raw.questions.map(({ passes }) => ({
          passes: passes.map((pass) => ({
            ...pass,
            reading: { kind: "letter" as const, logits: [1, 0.5], logSumExp: logSumExp + 0.5 },
          })),
        })),
      };
    },
  };
}
