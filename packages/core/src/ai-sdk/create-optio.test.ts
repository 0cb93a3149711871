import {
  APICallError,
  Experimental_DecisionUnsupportedQuestionTypeError,
  NoSuchModelError,
  UnsupportedFunctionalityError,
} from "@ai-sdk/provider";
import { createProviderRegistry, customProvider, experimental_decide as decide } from "ai";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { createDecider } from "../decider.js";
import { remote } from "../engines/remote.js";
import { OptioError } from "../errors.js";
import { type FakeOptions, fake } from "../testing/fake.js";
import { createOptio } from "./create-optio.js";

const questions = {
  team: {
    type: "choice",
    instructions: "Which team?",
    criteria: { billing: "Refunds", technical: { about: ["bugs", "outages"] }, other: null },
  },
  angry: { type: "boolean", instructions: "Is the customer angry?" },
  urgency: { type: "score", instructions: "How urgent?", criteria: ["can wait", "this week", null] },
} as const;

const answers: NonNullable<FakeOptions["answers"]> = {
  team: { billing: 0.7, technical: 0.2, other: 0.1 },
  angry: { true: 0.25, false: 0.75 },
  urgency: [0.5, 0.25, 0.25],
};

const yesNo = { refund: { type: "boolean", instructions: "Is it about money?" } } as const;

/** Probabilities pass through logarithms. */
const near = (expected: number) => expect.closeTo(expected, 9);

function modelOf(options: FakeOptions = {}) {
  const engine = fake(options);
  return { engine, model: createOptio({ engine }).decisionModel() };
}

describe("experimental_decide with optio", () => {
  beforeAll(() => {
    Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  });
  afterAll(() => {
    Reflect.deleteProperty(globalThis, "AI_SDK_LOG_WARNINGS");
  });

  it("gives typed answers with the engine's probabilities", async () => {
    const { model } = modelOf({ answers });
    const result = await decide({ model, state: "I was billed twice.", questions });
    expectTypeOf(result.answers.team.choice).toEqualTypeOf<"billing" | "technical" | "other">();
    expectTypeOf(result.answers.angry.probability).toEqualTypeOf<number>();
    expect(result.answers).toEqual({
      team: {
        type: "choice",
        choice: "billing",
        probabilities: { billing: near(0.7), technical: near(0.2), other: near(0.1) },
      },
      angry: { type: "boolean", probability: 0.25 },
      urgency: { type: "score", score: 0.75, probabilities: { 0: 0.5, 1: 0.25, 2: 0.25 } },
    });
    expect(result.response.modelId).toBe("fake");
    expect(result.usage.inputTokens).toBeGreaterThan(0);
    expect(result.usage.outputTokens).toBe(0);
    expect(result.warnings).toEqual([]);
  });

  it("has the receipt, confidence and action in the provider's metadata, as plain JSON", async () => {
    const engine = fake({ answers });
    await using optio = createOptio({ engine, policy: { accept: 0.5, review: 0.2 } });
    const { providerMetadata } = await decide({ model: optio.decisionModel(), state: "Hi", questions });
    expect(providerMetadata).toEqual(JSON.parse(JSON.stringify(providerMetadata)));
    expect(providerMetadata?.["optio"]).toMatchObject({
      engine: { kind: "fake", backend: "hash" },
      model: { id: "fake" },
      confidenceFormula: "scaled-max",
      attempts: [{ engine: "fake", outcome: "answered" }],
      answers: {
        team: { confidence: near(0.55), action: "accept" },
        angry: { confidence: near(0.5), action: "accept" },
        urgency: { confidence: near(0.25), action: "review" },
      },
    });
  });

  it("takes settings of one call from providerOptions, and refuses others", async () => {
    const { engine, model } = modelOf({ answers });
    const ask = (optio: Record<string, string | boolean | Record<string, number>>) =>
      decide({ model, state: "Hi", questions, providerOptions: { optio } });
    const { providerMetadata } = await ask({ confidence: "margin", policy: { accept: 0.6, review: 0 }, reuse: false });
    expect(providerMetadata?.["optio"]).toMatchObject({
      confidenceFormula: "margin",
      reuse: { allowed: false },
      answers: { team: { confidence: near(0.5), action: "review" } },
    });
    await expect(ask({ polcy: { accept: 1 } })).rejects.toMatchObject({ code: "invalid_setting" });
    await expect(ask({ state: "another" })).rejects.toMatchObject({ code: "invalid_setting" });
    expect(engine.calls).toBe(1);
  });

  it.each([
    ["text", "Refund me", { kind: "text", text: "Refund me" }],
    [
      "JSON without undefined fields",
      { plan: "pro", tags: ["a"], old: undefined },
      { kind: "json", value: { plan: "pro", tags: ["a"] } },
    ],
    [
      "a conversation",
      [{ type: "json", value: [{ role: "user", content: "Hi" }] }],
      { kind: "messages", messages: [{ role: "user", content: "Hi" }] },
    ],
    [
      "text parts",
      [
        { type: "text", text: "One." },
        { type: "text", text: "Two." },
      ],
      { kind: "text", text: "One.\n\nTwo." },
    ],
    [
      "mixed parts",
      [
        { type: "text", text: "One." },
        { type: "json", value: { a: 1 } },
      ],
      { kind: "json", value: ["One.", { a: 1 }] },
    ],
  ] as const)("passes %s on as a state", async (_, state, expected) => {
    const { engine, model } = modelOf();
    await decide({ model, state, questions: yesNo });
    expect(engine.requests[0]?.state).toEqual(expected);
  });

  it("refuses files with the SDK's own error, once", async () => {
    const { engine, model } = modelOf();
    const state = [{ type: "file", mediaType: "image/png", data: new Uint8Array([1, 2, 3]) }] as const;
    const failure = await decide({ model, state, questions: yesNo }).catch((error: unknown) => error);
    expect(UnsupportedFunctionalityError.isInstance(failure)).toBe(true);
    expect(String(failure)).toContain("image/png");
    expect(engine.calls).toBe(0);
  });

  it("refuses box questions, through decide and called directly", async () => {
    const { engine, model } = modelOf();
    const box = { where: { type: "box", instructions: "Where is the cat?" } } as const;
    const isUnsupported = Experimental_DecisionUnsupportedQuestionTypeError.isInstance;
    expect(await decide({ model, state: "Hi", questions: box }).catch(isUnsupported)).toBe(true);
    const direct = model.doDecide({ state: [{ type: "text", text: "Hi" }], questions: box });
    await expect(direct).rejects.toMatchObject({ questionId: "where", questionType: "box", modelId: "default" });
    expect(engine.calls).toBe(0);
  });

  it("asks the general question of a type where there are no instructions", async () => {
    const { engine, model } = modelOf();
    await decide({
      model,
      state: "Hi",
      questions: { q: { type: "boolean", criteria: { true: "Spam", false: null } } },
    });
    expect(engine.requests[0]?.questions[0]?.question).toMatchObject({ type: "noul", instructions: "Is it true?" });
  });

  it("rejects with the signal's reason, and the engine stops", async () => {
    const { engine, model } = modelOf({ delayMs: 60_000 });
    const controller = new AbortController();
    const reason = new DOMException("Changed my mind.", "AbortError");
    const running = decide({ model, state: "Hi", questions: yesNo, abortSignal: controller.signal });
    await expect.poll(() => engine.calls).toBe(1);
    controller.abort(reason);
    await expect(running).rejects.toBe(reason);
    // The queue is free again.
    const next = new AbortController();
    const waiting = decide({ model, state: "Hi", questions: yesNo, abortSignal: next.signal });
    await expect.poll(() => engine.calls).toBe(2);
    next.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  it("is repeated by the SDK after a crash", async () => {
    const { engine, model } = modelOf({ answers, failWith: (call) => (call === 1 ? "engine_crashed" : undefined) });
    const { answers: given } = await decide({ model, state: "Hi", questions, maxRetries: 1 });
    expect(given.team.choice).toBe("billing");
    expect(engine.calls).toBe(2);
  });

  it("is not repeated where that cannot help, and the OptioError arrives whole", async () => {
    const { engine, model } = modelOf({ failWith: "context_too_long" });
    await expect(decide({ model, state: "Hi", questions: yesNo })).rejects.toMatchObject({
      name: "OptioError",
      code: "context_too_long",
      hint: expect.stringMatching(/\S/u),
    });
    expect(engine.calls).toBe(1);
  });

  it.each([
    ["one option", { q: { type: "choice", instructions: "?", criteria: { a: null } } }, "invalid_options"],
    [
      "labels that lost their order",
      { q: { type: "choice", instructions: "?", criteria: { b: "B", 2: "two" } } },
      "ambiguous_option_order",
    ],
  ] as const)("refuses %s", async (_, asked, code) => {
    const { model } = modelOf();
    const failure = decide({ model, state: "Hi", questions: asked });
    await expect(failure).rejects.toMatchObject({ code, hint: expect.not.stringContaining("pairs") });
  });

  it("says what has no effect, and passes warnings on", async () => {
    const fetch = async () =>
      Response.json({
        answers: { refund: { noul: 0.5 } },
        optio: {
          usage: { evaluated_tokens: 1, reused_tokens: 0 },
          timings: { prefill_ms: 1, questions_ms: 1, prior_ms: 0 },
          receipt: {},
          warnings: ["Careful."],
        },
      });
    const engine = remote({ url: "https://decisions.example.org", fetch });
    const model = createOptio({ engine }).decisionModel();
    const { warnings } = await decide({ model, state: "Hi", questions: yesNo, maxOutputTokens: 5, reasoning: "high" });
    expect(warnings).toEqual([
      expect.objectContaining({ type: "unsupported", feature: "maxOutputTokens" }),
      expect.objectContaining({ type: "unsupported", feature: "reasoning" }),
      { type: "other", message: "Careful." },
    ]);
  });

  it.each([
    [429, true, "overloaded"],
    [503, true, "engine_unavailable"],
    [504, true, "timeout"],
    [401, false, "access_denied"],
    [422, false, "request_refused"],
    [501, false, "model_unsupported"],
  ])("makes an APICallError of a server's %i, retryable: %s", async (status, isRetryable, code) => {
    const fetch = async () => new Response("{}", { status });
    const model = createOptio({
      engine: remote({ url: "https://decisions.example.org", fetch, retries: 0 }),
    }).decisionModel();
    const failure: unknown = await decide({ model, state: "secret", questions: yesNo, maxRetries: 0 }).catch(
      (error) => error,
    );
    expect(APICallError.isInstance(failure)).toBe(true);
    expect(failure).toMatchObject({
      statusCode: status,
      isRetryable,
      cause: { code, hint: expect.stringMatching(/\S/u) },
    });
    expect(OptioError.isInstance((failure as Error).cause)).toBe(true);
    expect(JSON.stringify(failure)).not.toContain("secret");
  });

  it("counts a server that cannot be reached as retryable, and a missing engine here as not", async () => {
    const fetch = async () => Promise.reject(new TypeError("fetch failed"));
    const away = createOptio({ engine: remote({ url: "https://decisions.example.org", fetch, retries: 0 }) });
    await expect(
      decide({ model: away.decisionModel(), state: "Hi", questions: yesNo, maxRetries: 0 }),
    ).rejects.toMatchObject({ isRetryable: true, cause: { code: "engine_unavailable" } });
    const here = createOptio({ engine: fake({ failStartWith: "engine_unavailable" }) });
    await expect(decide({ model: here.decisionModel(), state: "Hi", questions: yesNo })).rejects.toMatchObject({
      name: "OptioError",
      code: "engine_unavailable",
    });
  });
});

describe("createOptio", () => {
  it("names its one model, in registries and custom providers too", async () => {
    const optio = createOptio({ engine: fake({ answers }), modelId: "small" });
    expect(optio.decisionModel()).toMatchObject({ provider: "optio", modelId: "small" });
    expect(optio.decisionModel("small")).toBe(optio.decisionModel());
    expect(() => optio.decisionModel("large")).toThrow(NoSuchModelError);
    expect(() => optio.languageModel("small")).toThrow(NoSuchModelError);

    const registry = createProviderRegistry({ optio });
    const custom = customProvider({ decisionModels: { tickets: optio.decisionModel() } });
    for (const model of [registry.decisionModel("optio:small"), custom.decisionModel("tickets")]) {
      const result = await decide({ model, state: "Hi", questions });
      expect(result.answers.team.choice).toBe("billing");
    }
  });

  it("closes a decider of its own, and leaves one that it was given", async () => {
    const shared = createDecider({ engine: fake() });
    await createOptio({ decider: shared }).close();
    await expect(shared.decide({ state: "Hi", questions: { q: { type: "noul" } } })).resolves.toBeDefined();
    await shared.close();

    const own = createOptio({ engine: fake() });
    await own.close();
    await own.close();
    const closed = decide({ model: own.decisionModel(), state: "Hi", questions: yesNo });
    await expect(closed).rejects.toMatchObject({ code: "engine_closed" });
  });

  it("refuses settings that would have no effect", () => {
    const decider = createDecider({ engine: fake() });
    const mixed = { decider, policy: { accept: 1, review: 0 } };
    expect(() => createOptio(mixed)).toThrow(expect.objectContaining({ code: "invalid_setting" }));
    const misspelt = { engine: fake(), polcy: {} };
    expect(() => createOptio(misspelt)).toThrow(expect.objectContaining({ code: "invalid_setting" }));
  });
});
