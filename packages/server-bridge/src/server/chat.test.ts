import { fake } from "@optio/core/testing";
import fc from "fast-check";
import OpenAI from "openai";
import { pino } from "pino";
import { afterAll, describe, expect, it } from "vitest";
import { readConfig } from "./config.js";
import { type RunningServer, startServer } from "./serve.js";

const servers: RunningServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

async function serve(options: Parameters<typeof fake>[0] = { reply: "Hello there, friend." }, flags: object = {}) {
  const config = readConfig({ flags: { port: 0, ...flags }, env: {}, modelFolder: "/nowhere" });
  const server = await startServer(config, { engine: fake(options), log: pino({ level: "silent" }) });
  servers.push(server);
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none", maxRetries: 0 });
  return { url: server.url, client };
}

const messages = [{ role: "user" as const, content: "Hi" }];
const model = "optio-latest";

describe("POST /v1/chat/completions, with OpenAI's own client", () => {
  it("answers", async () => {
    const { client } = await serve();
    const answer = await client.chat.completions.create({ model, messages });
    expect(answer).toMatchObject({
      object: "chat.completion",
      model: "fake",
      choices: [{ index: 0, message: { role: "assistant", content: "Hello there, friend." }, finish_reason: "stop" }],
      usage: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 },
    });
    expect(answer.id).toMatch(/^chatcmpl-/u);
  });

  it("streams, with usage where it is asked for", async () => {
    const { client } = await serve();
    const stream = await client.chat.completions.create({
      model,
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe("Hello there, friend.");
    expect(chunks[0]?.choices[0]?.delta.role).toBe("assistant");
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 3, total_tokens: 5 } });
    const plain = await client.chat.completions.create({ model, messages, stream: true });
    for await (const chunk of plain) expect(chunk.usage ?? undefined).toBeUndefined();
  });

  it("tells log-probabilities", async () => {
    const { client } = await serve();
    const answer = await client.chat.completions.create({
      model,
      messages,
      logprobs: true,
      top_logprobs: 1,
      max_tokens: 1,
    });
    expect(answer.choices[0]).toMatchObject({ finish_reason: "length" });
    expect(answer.choices[0]?.logprobs?.content?.[0]).toMatchObject({
      token: "Hello ",
      logprob: Math.log(0.5),
      bytes: [72, 101, 108, 108, 111, 32],
      top_logprobs: [{ token: "Hello " }],
    });
  });

  it("takes text in parts, and a developer's message", async () => {
    const { client } = await serve();
    const parts = [
      { type: "text" as const, text: "Hi" },
      { type: "text" as const, text: " there" },
    ];
    const answer = await client.chat.completions.create({
      model,
      messages: [
        { role: "developer", content: "Be brief." },
        { role: "user", content: parts },
      ],
    });
    expect(answer.usage?.prompt_tokens).toBe("Be brief.Hi there".length);
  });

  it("lists the model", async () => {
    const { client } = await serve();
    const { data } = await client.models.list();
    expect(data.map(({ id }) => id)).toEqual(["fake"]);
  });

  it.each<[object, string]>([
    [{ tools: [{ type: "function", function: { name: "f" } }] }, "Tools are not supported"],
    [{ n: 2 }, "More than one answer"],
    [{ response_format: { type: "json_object" } }, "A format of the answer is not supported"],
    [
      { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "x" } }] }] },
      "images are not read",
    ],
    [{ messages: [{ role: "tool", content: "x", tool_call_id: "1" }] }, "must be system, developer, user or assistant"],
    [{ messages: [] }, "must not be empty"],
    [{ temperature: -1 }, "temperature must be at least 0"],
    [{ max_tokens: 0 }, "max_tokens must be at least 1"],
    [{ top_logprobs: 3 }, "needs logprobs"],
    [{ model: "gpt-9" }, "There is no model"],
  ])("refuses what is not supported, with what it is: %j", async (more, said) => {
    const { client } = await serve();
    const request = { model, messages, ...more } as OpenAI.ChatCompletionCreateParamsNonStreaming;
    const error = await client.chat.completions.create(request).then(
      () => expect.fail("no error"),
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(String(error)).toContain(said);
  });

  it("takes what asks for nothing unusual", async () => {
    const { client } = await serve();
    const usual = {
      n: 1,
      tools: [],
      response_format: { type: "text" as const },
      modalities: ["text" as const],
      user: "x",
    };
    await expect(client.chat.completions.create({ model, messages, ...usual })).resolves.toHaveProperty("id");
  });

  it("needs the server's key, and an engine that can talk", async () => {
    const locked = await serve({ reply: "x" }, { keys: ["secret"] });
    await expect(locked.client.chat.completions.create({ model, messages })).rejects.toMatchObject({ status: 401 });
    const mute = await serve({});
    await expect(mute.client.chat.completions.create({ model, messages })).rejects.toMatchObject({ status: 501 });
    await expect(mute.client.chat.completions.create({ model, messages, stream: true })).rejects.toMatchObject({
      status: 501,
    });
  });

  it("answers one at a time, and refuses those that would wait too long", async () => {
    const { client } = await serve({ reply: "a b c", delayMs: 30 }, { maxQueue: 1 });
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => client.chat.completions.create({ model, messages })));
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect(outcomes[2]).toMatchObject({ reason: { status: 429 } });
  });

  it("stops for a client that goes away, and gives its turn to the next", async () => {
    const { client } = await serve({ reply: "word ".repeat(1_000), delayMs: 5 });
    const controller = new AbortController();
    const stream = await client.chat.completions.create(
      { model, messages, stream: true },
      { signal: controller.signal },
    );
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    controller.abort();
    await expect(client.chat.completions.create({ model, messages, max_tokens: 2 })).resolves.toHaveProperty(
      "usage.completion_tokens",
      2,
    );
  });

  it("ends at the server's time limit, also in the middle of a stream", async () => {
    const { client } = await serve({ reply: "word ".repeat(1_000), delayMs: 20 }, { timeoutMs: 200 });
    await expect(client.chat.completions.create({ model, messages })).rejects.toMatchObject({ status: 504 });
    const stream = await client.chat.completions.create({ model, messages, stream: true });
    const read = async () => {
      for await (const _ of stream);
    };
    await expect(read()).rejects.toThrow("took longer");
  });
});

describe("chats in a SageMaker container", () => {
  it("are answered at /invocations, also streamed and line by line", async () => {
    const { url } = await serve();
    const post = (body: string, type = "application/json") =>
      fetch(`${url}/invocations`, { method: "POST", headers: { "content-type": type }, body });
    const whole = await (await post(JSON.stringify({ messages }))).json();
    expect(whole).toMatchObject({ choices: [{ message: { content: "Hello there, friend." } }] });
    const streamed = await (await post(JSON.stringify({ messages, stream: true }))).text();
    expect(streamed.trim().endsWith("data: [DONE]")).toBe(true);
    const lines = await (
      await post(`${JSON.stringify({ messages })}\n{"messages": []}\n`, "application/jsonlines")
    ).text();
    const [good, bad] = lines
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(good).toHaveProperty("choices");
    expect(bad).toHaveProperty("error.param", "messages");
  });
});

describe("any body", () => {
  it("is answered or refused, and never a failure of the server", async () => {
    const { url } = await serve();
    const field = fc.constantFrom(
      "messages",
      "max_tokens",
      "stop",
      "logit_bias",
      "temperature",
      "stream",
      "top_logprobs",
      "n",
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(field, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 }), async (body) => {
        const response = await fetch(`${url}/v1/chat/completions`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        });
        await response.text();
        expect([200, 400]).toContain(response.status);
      }),
      { numRuns: 200 },
    );
  });
});
