import { BaseDecisionModel, type ClassifierRequest, type ClassifierResponse } from "@langchain/core/decisions";
import { AIMessage, ChatMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { RunnableLambda, RunnableSequence } from "@langchain/core/runnables";
import { describe, expect, expectTypeOf, it } from "vitest";
import { createDecider } from "../decider.js";
import { type FakeOptions, fake } from "../testing/fake.js";
import { decisionOf, OptioDecisionModel } from "./optio-decision-model.js";

const questions = {
  team: {
    type: "choice",
    instructions: "Which team?",
    criteria: { billing: "Refunds", technical: ["bugs"], other: null },
  },
  angry: { type: "noul", instructions: "Is the customer angry?", criteria: { true: "Insults" } },
  urgency: { type: "score", instructions: "How urgent?", criteria: ["can wait", { within: "a week" }, "today"] },
} satisfies ClassifierRequest["questions"];

const answers: NonNullable<FakeOptions["answers"]> = {
  team: { billing: 0.7, technical: 0.2, other: 0.1 },
  angry: { true: 0.25, false: 0.75 },
  urgency: [0.5, 0.25, 0.25],
};

const yesNo = { refund: { type: "noul", instructions: "Is it about money?" } } as const;

/** Probabilities pass through logarithms. */
const near = (expected: number) => expect.closeTo(expected, 9);

function modelOf(options: FakeOptions = {}) {
  const engine = fake(options);
  return { engine, model: new OptioDecisionModel({ engine }) };
}

describe("OptioDecisionModel", () => {
  it("gives typed answers with optio's probabilities and confidence", async () => {
    const { model } = modelOf({ answers });
    const response = await model.invoke({ state: "I was billed twice.", questions });
    expectTypeOf(response.answers.team.choice).toEqualTypeOf<"billing" | "technical" | "other">();
    expectTypeOf(response.answers.angry.noul).toEqualTypeOf<number>();
    expectTypeOf(response.scores).toHaveProperty("urgency");
    expect(response.answers).toEqual({
      team: {
        type: "choice",
        choice: "billing",
        probabilities: { billing: near(0.7), technical: near(0.2), other: near(0.1) },
        confidence: near(0.55),
      },
      angry: { type: "noul", noul: 0.25 },
      urgency: {
        type: "score",
        score: 0.75,
        legend: { 0: "can wait", 1: { within: "a week" }, 2: "today" },
        probabilities: { 0: 0.5, 1: 0.25, 2: 0.25 },
        confidence: near(0.25),
      },
    });
    expect(response.choices.team).toBe(response.answers.team);
    expect(response.model).toBe("fake");
  });

  it("computes confidence by the decider's formula", async () => {
    const model = new OptioDecisionModel({ engine: fake({ answers }), confidence: "margin" });
    const { choices } = await model.invoke({ state: "Hi", questions });
    expect(choices.team.confidence).toBeCloseTo(0.5, 9);
  });

  it("reports usage, and keeps the decision behind a response", async () => {
    const model = new OptioDecisionModel({ engine: fake({ answers }), policy: { accept: 0.5, review: 0.2 } });
    const response = await model.invoke({ state: "Hi", questions });
    const decision = decisionOf(response);
    const input = decision?.usage.inputTokens;
    expect(input).toBeGreaterThan(0);
    expect(response.usage_metadata).toEqual({
      input_tokens: input,
      output_tokens: 0,
      total_tokens: input,
      input_token_details: { cache_read: 0 },
    });
    expect(decision).toMatchObject({
      answers: { team: { action: "accept" }, urgency: { action: "review" } },
      receipt: { engine: { kind: "fake" } },
    });
    expect(decisionOf({ ...response })).toBeUndefined();
  });

  it("answers a batch in its order, more than the queue holds", async () => {
    const { engine, model } = modelOf({
      answers: { refund: (state) => state.kind === "text" && state.text.endsWith("7") },
    });
    const inputs = Array.from({ length: 100 }, (_, index) => ({ state: `Text ${index}`, questions: yesNo }));
    const responses = await model.batch(inputs);
    expectTypeOf(responses).toEqualTypeOf<ClassifierResponse[]>();
    expect(responses.map(({ nouls }) => nouls["refund"]?.noul)).toEqual(
      inputs.map(({ state }) => expect.closeTo(state.endsWith("7") ? 0.9 : 0.1, 9)),
    );
    expect(engine.calls).toBe(100);
  });

  it("keeps failures of a batch apart when asked to", async () => {
    const { model } = modelOf();
    const inputs = [
      { state: "Hi", questions: yesNo },
      { state: " ", questions: yesNo },
    ];
    const [first, second] = await model.batch(inputs, {}, { returnExceptions: true });
    expect(first).toHaveProperty("answers");
    expect(second).toMatchObject({ code: "invalid_state" });
  });

  it("stands in a sequence", async () => {
    const { model } = modelOf({ answers });
    const route = RunnableSequence.from<string, string>([
      (text: string) => ({ state: { text }, questions }),
      model,
      (response: ClassifierResponse<typeof questions>) => response.answers.team.choice,
    ]);
    expect(await route.invoke("I was billed twice.")).toBe("billing");
    expect(await route.batch(["a", "b"])).toEqual(["billing", "billing"]);
    const piped = RunnableLambda.from((state: string) => ({ state, questions })).pipe(model);
    expect((await piped.invoke("Hi")).answers["team"]).toMatchObject({ choice: "billing" });
  });

  it("is traced under its own name without its settings", async () => {
    const { model } = modelOf({ answers });
    const seen: unknown[] = [];
    await model.invoke(
      { state: "Hi", questions },
      {
        callbacks: [
          {
            handleChainStart: (serialized, _inputs, _runId, _runType, _tags, metadata) => {
              seen.push(serialized, metadata);
            },
          },
        ],
      },
    );
    expect(seen).toEqual([
      { lc: 1, type: "not_implemented", id: ["optio", "decisions", "OptioDecisionModel"] },
      expect.objectContaining({ ls_provider: "optio", ls_model_name: "optio" }),
    ]);
    expect(model).toBeInstanceOf(BaseDecisionModel);
  });

  it("rejects with the signal's reason, and the engine stops", async () => {
    const { engine, model } = modelOf({ delayMs: 60_000 });
    for (const calls of [1, 2]) {
      const controller = new AbortController();
      const reason = new DOMException("Changed my mind.", "AbortError");
      const running = model.invoke({ state: "Hi", questions: yesNo }, { signal: controller.signal });
      // The second is asked only if the first has left the queue.
      await expect.poll(() => engine.calls).toBe(calls);
      controller.abort(reason);
      await expect(running).rejects.toBe(reason);
    }
  });

  it("ends with LangChain's timeout", async () => {
    const { model } = modelOf({ delayMs: 60_000 });
    const late = model.invoke({ state: "Hi", questions: yesNo }, { timeout: 20 });
    await expect(late).rejects.toMatchObject({ name: "TimeoutError" });
  });

  it("closes a decider of its own, and leaves one that it was given", async () => {
    const decider = createDecider({ engine: fake() });
    const shared = new OptioDecisionModel({ decider, model: "tickets" });
    expect(shared.model).toBe("tickets");
    await shared.close();
    await expect(shared.invoke({ state: "Hi", questions: yesNo })).resolves.toBeDefined();
    const own = new OptioDecisionModel({ engine: fake() });
    await own.close();
    await own.close();
    await expect(own.invoke({ state: "Hi", questions: yesNo })).rejects.toMatchObject({ code: "engine_closed" });
  });
});

describe("states", () => {
  const messages = [
    new SystemMessage("Be kind."),
    new HumanMessage([
      { type: "text", text: "Where is " },
      { type: "text", text: "my order?" },
    ]),
    new AIMessage({ content: "", tool_calls: [{ name: "find", args: { id: 7 }, id: "call_1" }] }),
    new ToolMessage({ content: "Lost.", tool_call_id: "call_1" }),
    new ChatMessage("I take over.", "supervisor"),
  ];
  const plain = [
    { role: "system", content: "Be kind." },
    { role: "user", content: "Where is my order?" },
    { role: "assistant", content: '{"tool_call":"find","args":{"id":7}}' },
    { role: "tool", content: "Lost." },
    { role: "supervisor", content: "I take over." },
  ];

  it.each<[string, ClassifierRequest["state"], object]>([
    ["text", "Refund me", { kind: "text", text: "Refund me" }],
    ["JSON", { plan: "pro", seats: [1, null] }, { kind: "json", value: { plan: "pro", seats: [1, null] } }],
    ["a message", new HumanMessage("Hi"), { kind: "messages", messages: [{ role: "user", content: "Hi" }] }],
    ["messages", messages, { kind: "messages", messages: plain }],
    ["messages in JSON", { chat: messages, id: 3 }, { kind: "json", value: { chat: plain, id: 3 } }],
    [
      "data that only looks like a file",
      { type: "file", name: "a.txt" },
      { kind: "json", value: { type: "file", name: "a.txt" } },
    ],
    [
      "a message without what its model thought",
      new AIMessage({
        content: [
          { type: "reasoning", reasoning: "Hm." },
          { type: "text", text: "Yes." },
        ],
      }),
      { kind: "messages", messages: [{ role: "assistant", content: "Yes." }] },
    ],
  ])("passes %s on", async (_, state, expected) => {
    const { engine, model } = modelOf();
    await model.invoke({ state, questions: yesNo });
    expect(engine.requests[0]?.state).toEqual(expected);
  });

  const image = { type: "image", mimeType: "image/png", data: "AAAA" };
  const cyclic: { self?: object } = {};
  cyclic.self = cyclic;
  it.each<[string, ClassifierRequest["state"], string]>([
    ["an image in a message", new HumanMessage({ content: [image] }), '"image"'],
    [
      "an image address",
      [new HumanMessage([{ type: "image_url", image_url: "https://example.org/a.png" }])],
      '"image_url"',
    ],
    ["an image deep in JSON", { ticket: [{ scan: image }] }, '"image"'],
    ["data inside itself", cyclic as ClassifierRequest["state"], "contains itself"],
    ["bytes", { raw: new Uint8Array([1]) as never }, "not JSON"],
  ])("refuses %s", async (_, state, message) => {
    const { engine, model } = modelOf();
    await expect(model.invoke({ state, questions: yesNo })).rejects.toMatchObject({
      name: "OptioError",
      code: "invalid_state",
      message: expect.stringContaining(message),
      hint: expect.stringMatching(/\S/u),
    });
    expect(engine.calls).toBe(0);
  });
});

describe("questions", () => {
  const image = { type: "image", mimeType: "image/png", data: "AAAA" };
  it.each<[string, ClassifierRequest["questions"], string, string]>([
    ["a box", { where: { type: "box", instructions: "Where?" } }, "invalid_question", "box"],
    [
      "media in instructions",
      { q: { type: "noul", instructions: ["Like this?", image] } },
      "invalid_question",
      '"image"',
    ],
    [
      "media in an option",
      { q: { type: "choice", instructions: "?", criteria: { a: image, b: null } } },
      "invalid_question",
      '"image"',
    ],
    [
      "labels that lost their order",
      { q: { type: "choice", instructions: "?", criteria: { b: "B", 2: "two" } } },
      "ambiguous_option_order",
      '"2"',
    ],
    ["one option", { q: { type: "choice", instructions: "?", criteria: { a: null } } }, "invalid_options", "1 option"],
  ])("refuses %s", async (_, asked, code, message) => {
    const { engine, model } = modelOf();
    await expect(model.invoke({ state: "Hi", questions: asked })).rejects.toMatchObject({
      name: "OptioError",
      code,
      message: expect.stringContaining(message),
      hint: expect.not.stringContaining("pairs"),
    });
    expect(engine.calls).toBe(0);
  });
});
