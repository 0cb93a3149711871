import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import type { Progress } from "@modelcontextprotocol/sdk/types.js";
import { createDecider, type DeciderOptions } from "@optio/core";
import { type FakeOptions, fake } from "@optio/core/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { createMcpServer, type McpServerSettings } from "./mcp-server.js";

const questions = {
  team: {
    type: "choice",
    instructions: "Which team?",
    criteria: { billing: "Refunds", technical: "Bugs", other: null },
  },
  angry: { type: "noul", instructions: "Is the customer angry?" },
};

const answers: NonNullable<FakeOptions["answers"]> = {
  team: { billing: 0.7, technical: 0.2, other: 0.1 },
  angry: { true: 0.25, false: 0.75 },
};

/** Probabilities pass through logarithms. */
const near = (expected: number) => expect.closeTo(expected, 9);

interface Setting extends Partial<McpServerSettings> {
  readonly fakeOptions?: FakeOptions;
  readonly deciderOptions?: Omit<DeciderOptions, "engine" | "engines" | "fallback">;
}

async function connected({ fakeOptions = { answers }, deciderOptions, ...settings }: Setting = {}) {
  const engine = fake(fakeOptions);
  const decider = createDecider({ engine, ...deciderOptions });
  const server = createMcpServer({
    decider,
    engine: { kind: "wasm", model: null },
    listModels: async () => [
      {
        ...{ id: "m", title: "M", bytes: 1, licence: null, sha256: "ab", kind: null, role: null, engines: null },
        ...{ state: "stored", loadedBytes: 1, path: "/home/someone/m.gguf" },
      },
    ],
    reuse: true,
    ...settings,
  });
  const client = new Client({ name: "test", version: "1" });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  onTestFinished(async () => {
    await client.close();
    await decider.close();
  });
  return { engine, client, server };
}

/** The error of a result, which the SDK's client has let through. */
function errorOf(result: Awaited<ReturnType<Client["callTool"]>>) {
  const [content] = result.content as { type: string; text: string }[];
  expect(result).toMatchObject({ isError: true });
  expect(result.structuredContent).toBeUndefined();
  return JSON.parse(content?.text ?? "").error;
}

describe("optio's MCP server", () => {
  it("describes its tools to the client", async () => {
    const { client } = await connected();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["decide", "decide_many", "list_models"]);
    const [decide, decideMany] = tools;
    expect(decide?.inputSchema).toMatchObject({ required: ["state", "questions"] });
    expect(decideMany?.inputSchema).toMatchObject({ required: ["states", "questions"] });
    expect(decide?.inputSchema.properties).toMatchObject({
      questions: { type: "object", additionalProperties: { anyOf: expect.any(Array) } },
      accept: { type: "number", minimum: 0, maximum: 1 },
    });
    for (const tool of tools) expect(tool.outputSchema).toMatchObject({ type: "object" });
    expect(client.getInstructions()).toContain("probability");
  });

  it("decides, with structured content that fits the schema and the same as text", async () => {
    const { client } = await connected();
    // Only then does the client check results against the schemas.
    await client.listTools();
    const result = await client.callTool({ name: "decide", arguments: { state: "I was billed twice.", questions } });
    expect(result.structuredContent).toMatchObject({
      answers: {
        team: { choice: "billing", probabilities: { billing: near(0.7), technical: near(0.2), other: near(0.1) } },
        angry: { noul: 0.25, value: false },
      },
      receipt: { engine: { kind: "fake" }, model: { id: "fake" } },
      warnings: [],
    });
    expect(JSON.stringify(result.structuredContent)).not.toContain('"action"');
    const [content] = result.content as { type: string; text: string }[];
    expect(JSON.parse(content?.text ?? "")).toEqual(result.structuredContent);
  });

  it("says what to do by the thresholds of the call, else by those of the command line", async () => {
    const { client } = await connected({ deciderOptions: { policy: { accept: 0.1, review: 0 } } });
    const actions = async (thresholds: object) => {
      const call = { name: "decide", arguments: { state: "Hi", questions, ...thresholds } };
      const { structuredContent } = await client.callTool(call);
      const given = (structuredContent as { answers: Record<string, { action?: string }> }).answers;
      return [given["team"]?.action, given["angry"]?.action];
    };
    expect(await actions({})).toEqual(["accept", "accept"]);
    expect(await actions({ accept: 0.52, review: 0.4 })).toEqual(["accept", "review"]);
    expect(await actions({ accept: 0.52 })).toEqual(["accept", "escalate"]);
  });

  it("takes pairs, JSON and messages", async () => {
    const { client, engine } = await connected({ fakeOptions: { answers: { q: "2" } } });
    const criteria = [
      ["3", null],
      ["2", "two"],
    ];
    const state = [{ role: "user", content: "Hi" }];
    const asked = { q: { type: "choice", instructions: "Which?", criteria } };
    const { structuredContent } = await client.callTool({ name: "decide", arguments: { state, questions: asked } });
    expect(structuredContent).toMatchObject({ answers: { q: { choice: "2" } } });
    expect(engine.requests[0]).toMatchObject({
      state: { kind: "messages" },
      questions: [{ question: { options: [{ key: "3" }, { key: "2" }] } }],
    });
  });

  it("decides about many states, each with its own outcome", async () => {
    const { client } = await connected();
    await client.listTools();
    const states = ["Hi", " ", { plan: "pro" }];
    const { structuredContent } = await client.callTool({ name: "decide_many", arguments: { states, questions } });
    expect(structuredContent).toMatchObject({
      results: [
        { status: "fulfilled", value: { answers: { team: { choice: "billing" } } } },
        { status: "rejected", error: { code: "invalid_state", hint: expect.stringMatching(/\S/u) } },
        { status: "fulfilled", value: { answers: { team: { choice: "billing" } } } },
      ],
      usage: { inputTokens: expect.any(Number) },
    });
  });

  it("lists models without telling where they lie", async () => {
    const { client } = await connected({ engine: { kind: "remote", model: "jev" } });
    await client.listTools();
    const { structuredContent } = await client.callTool({ name: "list_models", arguments: {} });
    expect(structuredContent).toMatchObject({
      engine: { kind: "remote", model: "jev" },
      models: [{ id: "m", state: "stored" }],
    });
    expect(JSON.stringify(structuredContent)).not.toContain("/home");
  });

  it.each([
    ["decide", { questions }, "invalid_state"],
    ["decide", { state: " ", questions }, "invalid_state"],
    ["decide", { state: "Hi" }, "invalid_question"],
    ["decide", { state: "Hi", questions: {} }, "invalid_question"],
    ["decide", { state: "Hi", questions: { q: { type: "box", instructions: "?" } } }, "invalid_question"],
    ["decide", { state: "Hi", questions: { q: { type: "choice", criteria: { a: null } } } }, "invalid_options"],
    [
      "decide",
      { state: "Hi", questions: { q: { type: "choice", criteria: { b: null, 2: null } } } },
      "ambiguous_option_order",
    ],
    ["decide", { state: "Hi", questions, accept: 2 }, "invalid_setting"],
    ["decide", { state: "Hi", questions, accept: "high" }, "invalid_setting"],
    ["decide", { state: "Hi", questions, review: 0.5 }, "invalid_setting"],
    ["decide", { state: "Hi", questions, accept: 0.5, review: 0.6 }, "invalid_setting"],
    ["decide_many", { states: "Hi", questions }, "invalid_state"],
  ])("answers a wrong %s with code and hint: %j", async (name, input, code) => {
    const { client, engine } = await connected();
    await client.listTools();
    const error = errorOf(await client.callTool({ name, arguments: input }));
    expect(error).toMatchObject({ code, message: expect.stringMatching(/\S/u), hint: expect.stringMatching(/\S/u) });
    expect(engine.calls).toBe(0);
  });

  it("answers an engine's failure and its own time limit likewise", async () => {
    const call = { name: "decide", arguments: { state: "Hi", questions } };
    const broken = await connected({ fakeOptions: { failStartWith: "model_not_found" } });
    expect(errorOf(await broken.client.callTool(call))).toMatchObject({ code: "model_not_found" });
    const slow = await connected({ fakeOptions: { delayMs: 60_000 }, timeoutMs: 20 });
    expect(errorOf(await slow.client.callTool(call))).toMatchObject({ code: "timeout" });
  });

  it("reports progress that only grows to clients that ask for it", async () => {
    const { client } = await connected();
    const states = ["One", "Two", "Three"];
    const heard: Progress[] = [];
    const onprogress = (progress: Progress) => heard.push(progress);
    await client.callTool({ name: "decide_many", arguments: { states, questions } }, undefined, { onprogress });
    expect(heard.at(-1)).toMatchObject({ progress: 3, total: 3, message: "3 of 3 states done" });
    expect(heard.map(({ message }) => message)).toContain("loading the model");
    for (const [index, { progress }] of heard.entries())
      expect(progress).toBeGreaterThan(heard[index - 1]?.progress ?? -1);
  });

  it("stops the engine when the client cancels, and goes on with the next call", async () => {
    const { client, engine } = await connected({ fakeOptions: { delayMs: 60_000 } });
    for (const calls of [1, 2]) {
      const controller = new AbortController();
      const call = { name: "decide", arguments: { state: "Hi", questions } };
      const running = client.callTool(call, undefined, { signal: controller.signal });
      running.catch(() => undefined);
      // The second reaches the engine only if the first has left it.
      await expect.poll(() => engine.calls).toBe(calls);
      controller.abort("enough");
      await expect(running).rejects.toThrow();
    }
  });
});
