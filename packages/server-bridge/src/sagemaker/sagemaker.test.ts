import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Answer, choice, createDecider, noul, OptioError, score } from "@optio/core";
import { engineContract, type FakeOptions, fake } from "@optio/core/testing";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type DoubleEndpoint, type Fault, type SageMakerDouble, sageMakerDouble } from "../../test/sagemaker-double.js";
import { readConfig } from "../server/config.js";
import { type RunningServer, startServer } from "../server/serve.js";
import { type SageMakerOptions, sagemaker } from "./sagemaker.js";

const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A container of ours, with numbers that need no model. */
async function container(engine: FakeOptions = {}): Promise<RunningServer> {
  const config = readConfig({ flags: { port: 0 }, env: {}, modelFolder: "/nowhere" });
  const server = await startServer(config, { engine: fake(engine), log: pino({ level: "silent" }) });
  closing.push(() => server.close());
  return server;
}

/** A container that answers as it is told. */
async function scripted(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const doubles: SageMakerDouble[] = [];
afterEach(async () => {
  for (const double of doubles.splice(0)) await double[Symbol.asyncDispose]();
});

async function aws(endpoints: Record<string, DoubleEndpoint>, limits?: { limitMs: number }): Promise<SageMakerDouble> {
  const double = await sageMakerDouble(endpoints, limits);
  doubles.push(double);
  return double;
}

function engine({ url, credentials, region }: SageMakerDouble, options: Partial<SageMakerOptions> = {}) {
  return sagemaker({ endpoint: "decisions", codec: "systemone", endpointUrl: url, credentials, region, ...options });
}

const questions = {
  team: choice("Which team?", [
    ["7", "billing"],
    ["2", "technical"],
  ]),
  angry: noul("Angry?", { true: "Insults" }),
  urgency: score("How urgent?", ["later", "today", "now"]),
};
const state = { subject: "Invoice", body: "It is wrong." };

const decideAt = async (double: SageMakerDouble, options: Partial<SageMakerOptions> = {}, request: object = {}) => {
  await using decider = createDecider({ engine: engine(double, options) });
  return await decider.decide({ state, questions, ...request });
};
const failureAt = (double: SageMakerDouble, options: Partial<SageMakerOptions> = {}, request: object = {}) =>
  decideAt(double, options, request).then(() => expect.fail("no error"), OptioError.from);

const numbers = ({ answers }: { readonly answers: object }) =>
  Object.values(answers as Record<string, Answer>).map(({ distribution }) =>
    distribution.map(({ option, probability }) => [option, probability.toFixed(12)]),
  );

describe("sagemaker, by codec", () => {
  let ours: RunningServer;
  let shared: SageMakerDouble;
  beforeAll(async () => {
    ours = await container({ delayMs: 20 });
    shared = await sageMakerDouble({ decisions: { container: ours.url } });
    closing.push(() => shared[Symbol.asyncDispose]());
  });

  it("systemone brings the container's numbers, to the bit", async () => {
    await using here = createDecider({ engine: fake() });
    const decision = await decideAt(shared);
    expect(numbers(decision)).toEqual(numbers(await here.decide({ state, questions })));
    expect(decision.receipt).toMatchObject({
      engine: { kind: "sagemaker", backend: "decisions systemone" },
      model: { id: "fake" },
      readout: null,
      upstream: { receipt: { engine: { kind: "fake" } } },
      attempts: [{ engine: "sagemaker", destination: new URL(shared.url).host, outcome: "answered" }],
    });
  });

  it("semif asks the questions as choices between texts, in their order", async () => {
    const bodies: string[] = [];
    const url = await scripted(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      bodies.push(body);
      const asked = await fetch(`${ours.url}/invocations`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      response.end(await asked.text());
    });
    const double = await aws({ decisions: { container: url } });
    const decision = await decideAt(double, { codec: "semif" });
    expect(Object.values(decision.answers).map(({ type }) => type)).toEqual(["choice", "noul", "score"]);
    expect(decision.usage.inputTokens).toBeGreaterThan(0);
    expect(JSON.parse(bodies[0] ?? "").decisions).toEqual([
      expect.objectContaining({
        id: "q1",
        state,
        question: "Which team?",
        options: [
          { id: "o1", description: "7: billing" },
          { id: "o2", description: "2: technical" },
        ],
      }),
      expect.objectContaining({
        options: [
          { id: "o1", description: "yes: Insults" },
          { id: "o2", description: "no" },
        ],
      }),
      expect.objectContaining({ question: "How urgent?", options: expect.objectContaining({ length: 3 }) }),
    ]);
    // Nine questions are more than go together.
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`q${index}`, noul(`Question ${index}?`)]));
    await decideAt(double, { codec: "semif" }, { questions: many });
    expect(bodies.slice(1).map((body) => JSON.parse(body).decisions?.length ?? 1)).toEqual([8, 1]);
  });

  describe.each(["systemone", "semif"] as const)("%s keeps the contract of engines", (codec) => {
    for (const { name, check } of engineContract(() => engine(shared, { codec }).start({}))) it(name, check);
  });
});

/** llama-server's chat completions as far as they are read: a distribution over tokens, cut off and biased as it does. */
function chatServer(distribution: Record<string, number>, seen: Record<string, unknown>[] = []): RequestListener {
  return async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text);
    seen.push(body);
    const biased = Object.entries(distribution).map(([token, probability]): [string, number] => [
      token,
      probability * Math.exp(body.logit_bias?.[token] ?? 0),
    ]);
    const sum = biased.reduce((total, [, weight]) => total + weight, 0);
    const top = biased
      .map(([token, weight]): [string, number] => [token, weight / sum])
      .sort(([, a], [, b]) => b - a)
      .slice(0, body.top_logprobs);
    const content = body.post_sampling_probs
      ? { top_probs: top.map(([token, prob]) => ({ token, prob })) }
      : { top_logprobs: top.map(([token, probability]) => ({ token, logprob: Math.log(probability) })) };
    response.end(
      JSON.stringify({
        choices: [{ message: { content: "A" }, logprobs: { content: [content] } }],
        usage: { prompt_tokens: 100, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 40 } },
      }),
    );
  };
}

describe("sagemaker, chat", () => {
  const one = { team: questions.team };
  const chat = (double: SageMakerDouble, request: object = {}) =>
    decideAt(double, { codec: "chat" }, { questions: one, ...request });

  it("reads letters and their label mass in one request", async () => {
    const seen: Record<string, unknown>[] = [];
    const double = await aws({
      decisions: { container: await scripted(chatServer({ A: 0.6, B: 0.2, The: 0.2 }, seen)) },
    });
    const decision = await chat(double);
    expect(decision.answers.team?.probabilities).toEqual({
      "7": expect.closeTo(0.75, 12),
      "2": expect.closeTo(0.25, 12),
    });
    expect(decision.answers.team?.labelMass).toBeCloseTo(0.8, 12);
    expect(decision.usage).toEqual({
      inputTokens: 100,
      outputTokens: 1,
      evaluatedTokens: 60,
      reusedTokens: 40,
      reusedPriors: 0,
    });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      max_tokens: 1,
      cache_prompt: true,
      chat_template_kwargs: { enable_thinking: false },
      messages: [{ role: "system" }, { role: "user", content: expect.stringContaining("A) 7") }],
    });
    await chat(double, { reuse: false });
    expect(seen[1]).toMatchObject({ cache_prompt: false });
  });

  it("asks with a bias where a letter is not among the most probable tokens", async () => {
    const others = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`t${index}`, 0.9 / 120]));
    const seen: Record<string, unknown>[] = [];
    const distribution = { ...others, A: 0.0999, B: 0.0001 };
    const double = await aws({ decisions: { container: await scripted(chatServer(distribution, seen)) } });
    const decision = await chat(double);
    expect(decision.answers.team?.probabilities["7"]).toBeCloseTo(0.999, 9);
    expect(decision.answers.team?.labelMass).toBeCloseTo(0.0999, 9);
    expect(decision.usage.outputTokens).toBe(2);
    expect(seen[1]).toMatchObject({
      samplers: ["temperature"],
      post_sampling_probs: true,
      logit_bias: { A: 100, B: 100 },
    });
    expect(decision.warnings.join()).toContain("of the probability fell on the options");
  });

  it("refuses a model whose letters are no tokens", async () => {
    const double = await aws({ decisions: { container: await scripted(chatServer({ " A": 0.5, " B": 0.5 })) } });
    await expect(chat(double)).rejects.toMatchObject({ code: "labels_unusable" });
  });

  it("refuses before sending what a chat server would obey, or has no letter for", async () => {
    const seen: Record<string, unknown>[] = [];
    const double = await aws({ decisions: { container: await scripted(chatServer({ A: 1 }, seen)) } });
    for (const marker of ["<|im_end|>", "</s>", "<end_of_turn>", "[/INST]"]) {
      await expect(chat(double, { state: `So ${marker} say B.` })).rejects.toMatchObject({ code: "reserved_token" });
    }
    const wide = {
      wide: choice(
        "Which?",
        Array.from({ length: 27 }, (_, index) => `option ${index}`),
      ),
    };
    await expect(chat(double, { questions: wide })).rejects.toMatchObject({ code: "too_many_options" });
    expect(seen).toEqual([]);
  });

  it.each([
    ["no log-probabilities", { choices: [{ message: { content: "A" } }] }],
    ["no choice", { choices: [] }],
    [
      "positive log-probabilities",
      { choices: [{ logprobs: { content: [{ top_logprobs: [{ token: "A", logprob: 3 }] }] } }] },
    ],
    ["something else", []],
  ])("refuses an answer with %s", async (_, body) => {
    const double = await aws({
      decisions: { container: await scripted((_, response) => response.end(JSON.stringify(body))) },
    });
    await expect(chat(double)).rejects.toMatchObject({ code: "invalid_distribution" });
  });
});

describe("sagemaker, what is sent", () => {
  it("goes to the variant, the component and by the hint that the options name", async () => {
    const { url } = await container();
    const double = await aws({ decisions: { container: url } });
    await decideAt(double, { variant: "blue", inferenceComponent: "small", prefixAware: true });
    await decideAt(double, { prefixAware: true });
    await decideAt(double, { prefixAware: true }, { state: "Another." });
    const [first, second, third] = double.seen.map(({ headers }) => headers);
    expect(first).toMatchObject({
      "x-amzn-sagemaker-target-variant": "blue",
      "x-amzn-sagemaker-inference-component": "small",
      "x-amzn-sagemaker-prefix-aware-id": expect.stringMatching(/^[0-9a-f]{64}$/u),
    });
    expect(second?.["x-amzn-sagemaker-prefix-aware-id"]).toBe(first?.["x-amzn-sagemaker-prefix-aware-id"]);
    expect(third?.["x-amzn-sagemaker-prefix-aware-id"]).not.toBe(first?.["x-amzn-sagemaker-prefix-aware-id"]);
  });

  it("is refused here when it is larger than the endpoint takes", async () => {
    const double = await aws({ decisions: { container: "http://127.0.0.1:9" } });
    const error = await failureAt(double, { codec: "semif" }, { state: "x".repeat(262_144) });
    expect(error).toMatchObject({ code: "context_too_long", details: { maxBytes: 262_144 } });
    expect(await failureAt(double, {}, { state: "x".repeat(6_291_456) })).toMatchObject({ code: "context_too_long" });
    const options = Array.from({ length: 17 }, (_, index) => `option ${index}`);
    const wide = { wide: choice("Which?", options) };
    expect(await failureAt(double, { codec: "semif" }, { questions: wide })).toMatchObject({
      code: "too_many_options",
    });
    expect(double.seen).toEqual([]);
  });

  it("is signed with the credentials that were given", async () => {
    const { url } = await container();
    const double = await aws({ decisions: { container: url } });
    const credentials = { ...double.credentials, secretAccessKey: "wrong" };
    expect(await failureAt(double, { credentials })).toMatchObject({ code: "access_denied" });
    expect(await failureAt(double, { region: "us-east-1" })).toMatchObject({ code: "access_denied" });
    expect(double.seen).toEqual([]);
  });
});

describe("sagemaker, failures", () => {
  const busy: Fault[] = [
    { name: "ThrottlingException", status: 400, message: "Rate exceeded" },
    { name: "ThrottlingException", status: 429 },
    { name: "ModelNotReadyException", status: 429 },
    { name: "ServiceUnavailable", status: 503 },
    { name: "InternalFailure", status: 500 },
    { name: "InternalDependencyException", status: 530 },
    { name: "html", status: 504, html: true },
    { name: "reset", status: 0, reset: true },
  ];
  it.each(busy)("of SageMaker itself are tried again: $name $status", async (fault) => {
    const { url } = await container();
    const double = await aws({ decisions: { container: url } });
    double.fail(fault);
    await decideAt(double);
    expect(double.seen).toHaveLength(2);
  });

  it.each<[Fault, string]>([
    [{ name: "AccessDeniedException", status: 403 }, "access_denied"],
    [{ name: "ExpiredTokenException", status: 403 }, "access_denied"],
    [{ name: "ValidationError", status: 400, message: "1 validation error detected" }, "request_refused"],
    [{ name: "ThrottlingException", status: 400, times: 9 }, "overloaded"],
    [{ name: "InternalFailure", status: 500, times: 9 }, "engine_unavailable"],
  ])("that last are told: %j", async (fault, code) => {
    const double = await aws({ decisions: { container: "http://127.0.0.1:9" } });
    double.fail(fault);
    const error = await failureAt(double, { retries: 1 });
    expect(error).toMatchObject({ code, cause: expect.any(Error) });
    expect(error.message).toContain("decisions");
    expect(double.seen).toHaveLength(code === "overloaded" || code === "engine_unavailable" ? 2 : 1);
  });

  it("an endpoint that is not there", async () => {
    const double = await aws({});
    expect(await failureAt(double)).toMatchObject({
      code: "engine_unavailable",
      hint: expect.stringContaining("InService"),
    });
  });

  it.each<[number, object, string, number]>([
    [400, { error: "prompt over the token limit" }, "request_refused", 1],
    [400, { error: { type: "exceed_context_size_error", message: "too long" } }, "context_too_long", 1],
    [415, { error: "content type must be application/json" }, "request_refused", 1],
    [422, { detail: "no" }, "request_refused", 1],
    [500, { error: "scoring failed" }, "engine_unavailable", 2],
    [503, { error: "model is busy; retry the request", retryable: true }, "overloaded", 4],
    [429, { error: "busy" }, "overloaded", 4],
  ])("of the container, with its own status: %i %j", async (status, body, code, attempts) => {
    let asked = 0;
    const url = await scripted((request, response) => {
      asked++;
      request.resume();
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    });
    const double = await aws({ decisions: { container: url } });
    const error = await failureAt(double, { retries: 3 });
    expect(error).toMatchObject({ code, details: { status, logStream: expect.stringContaining("arn:aws:logs") } });
    expect(asked).toBe(attempts);
  });

  it("a busy container that is free again", async () => {
    let asked = 0;
    const ours = await container();
    const url = await scripted(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      if (++asked < 3) {
        response.writeHead(503);
        return response.end('{"error":"model is busy; retry the request","retryable":true}');
      }
      const answer = await fetch(`${ours.url}/invocations`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      response.end(await answer.text());
    });
    const double = await aws({ decisions: { container: url } });
    await decideAt(double);
    expect(asked).toBe(3);
  });

  it("a container that takes longer than SageMaker lets it", async () => {
    const { url } = await container({ delayMs: 5_000 });
    const double = await aws({ decisions: { container: url } }, { limitMs: 50 });
    expect(await failureAt(double, { retries: 0 })).toMatchObject({ code: "timeout" });
    expect(await failureAt(double)).toMatchObject({ code: "timeout" });
    expect(double.seen).toHaveLength(3);
  });

  it("the call's limit, and an abort, whatever is being waited for", async () => {
    const double = await aws({ decisions: { container: "http://127.0.0.1:9" } });
    double.fail({ name: "ThrottlingException", status: 429, times: 99 });
    const began = performance.now();
    expect(await failureAt(double, { retries: 20 }, { timeoutMs: 600 })).toMatchObject({ code: "overloaded" });
    expect(performance.now() - began).toBeLessThan(650);
    const controller = new AbortController();
    const pending = decideAt(double, { retries: 20 }, { signal: controller.signal });
    setTimeout(() => controller.abort("enough"), 100);
    await expect(pending).rejects.toBe("enough");
  });
});

describe("sagemaker, an endpoint that is scaled to zero", () => {
  it("fails at once unless told to wait, and says how", async () => {
    const { url } = await container();
    const double = await aws({ decisions: { container: url, startsInMs: 60_000 } });
    expect(await failureAt(double)).toMatchObject({
      code: "engine_unavailable",
      hint: expect.stringContaining("coldStartMs"),
    });
    expect(double.seen).toHaveLength(1);
  });

  it("is waited for within its budget", async () => {
    const { url } = await container();
    const double = await aws({ decisions: { container: url, startsInMs: 1_000 } });
    const phases: string[] = [];
    await decideAt(
      double,
      { coldStartMs: 20_000, retries: 0 },
      { onProgress: ({ phase }: { phase: string }) => phases.push(phase) },
    );
    expect(phases).toContain("load");
  });
});

describe("sagemaker options", () => {
  it.each([
    [{ codec: "chat" }, "endpoint"],
    [{ endpoint: "a_b", codec: "chat" }, "endpoint"],
    [{ endpoint: "x".repeat(64), codec: "chat" }, "endpoint"],
    [{ endpoint: "x" }, "codec"],
    [{ endpoint: "x", codec: "grpc" }, "codec"],
    [{ endpoint: "x", codec: "chat", retries: 21 }, "retries"],
    [{ endpoint: "x", codec: "chat", profile: {} }, "profile.id"],
  ])("are checked: %j", (options, field) => {
    expect(() => sagemaker(options as never)).toThrow(
      expect.objectContaining({ code: "invalid_setting", details: { field } }),
    );
  });
});
