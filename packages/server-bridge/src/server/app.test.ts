import { type Answer, createDecider, type EngineSource } from "@optio/core";
import { type FakeOptions, fake } from "@optio/core/testing";
import fc from "fast-check";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { type AppSettings, createApp } from "./app.js";
import { Metrics } from "./metrics.js";
import { createModels, type Models } from "./models.js";
import { Readiness } from "./readiness.js";

const opened: Models[] = [];
afterEach(async () => {
  for (const models of opened.splice(0)) await models[Symbol.asyncDispose]();
});

function server(
  options: FakeOptions & { engine?: EngineSource; maxQueue?: number } = {},
  more: Partial<AppSettings> = {},
) {
  const { engine = fake(options), maxQueue = 64 } = options;
  const models = createModels({ models: [{ name: "fake", engine }], aliases: true, maxQueue });
  opened.push(models);
  const readiness = new Readiness(models);
  const app = createApp({
    models,
    readiness,
    metrics: new Metrics(),
    log: pino({ level: "silent" }),
    access: { keys: [], origins: [] },
    limits: { maxBodyBytes: 10_000, maxQuestions: 4 },
    timeoutMs: 2_000,
    ...more,
  });
  const post = (body: unknown, path = "/v1/systemone", headers: Record<string, string> = {}) =>
    app.request(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
    });
  return { app, readiness, post };
}

// biome-ignore lint/suspicious/noExplicitAny: whatever the server sent
const bodyOf = (response: Response): Promise<any> => response.json();

const noulQuestion = { type: "noul", instructions: "Is the customer angry?" };
const request = { state: "I was charged twice.", questions: { angry: noulQuestion } };

describe("POST /v1/systemone", () => {
  it("answers the three kinds of question", async () => {
    const { post } = server({
      answers: { angry: { true: 1, false: 0 }, team: { a: 0.25, b: 0.75 }, urgent: [0, 0.5, 0.5] },
    });
    const response = await post({
      state: { subject: "Export" },
      model: "optio-latest",
      questions: {
        angry: noulQuestion,
        team: { type: "choice", criteria: { a: "A", b: null } },
        urgent: { type: "score", criteria: ["can wait", "this week", "now"] },
      },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-typesafe-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    const text = await response.text();
    // Probabilities are never written as whole numbers.
    expect(text).toContain('"noul":1.0');
    expect(text).toContain('"score":1.5');
    expect(text).toContain('"0":0.0');
    const body = JSON.parse(text);
    expect(body).toMatchObject({
      model: "fake",
      answers: {
        angry: { type: "noul", noul: 1 },
        team: { type: "choice", choice: "b", probabilities: { a: 0.25, b: 0.75 }, confidence: 0.5 },
        urgent: { type: "score", legend: { 0: "can wait", 1: "this week", 2: "now" } },
      },
      usage: { output_tokens: 0 },
      optio: { receipt: { model: { id: "fake" } }, request_id: response.headers.get("x-typesafe-request-id") },
    });
    expect(body.answers.angry).not.toHaveProperty("confidence");
  });

  it("keeps the order of options that look like integers", async () => {
    const { post } = server();
    const options = '{"ten":null,"10":"Ten","2":"Two","1":"One"}';
    const response = await post(`{"state":"x","questions":{"q":{"type":"choice","criteria":${options}}}}`);
    const text = await response.text();
    const places = ['"ten":0', '"10":0', '"2":0', '"1":0'].map((key) => text.indexOf(key));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  it.each([undefined, "optio-latest", "jev-latest", "jev-1.13.0", "fake"])("takes the model %s", async (model) => {
    const { post } = server();
    const response = await post({ ...request, ...(model === undefined ? {} : { model }) });
    expect(await response.json()).toMatchObject({ model: "fake" });
  });

  it("gives what a decider gives", async () => {
    const { post } = server();
    const remote = await bodyOf(await post(request));
    await using decider = createDecider({ engine: fake() });
    const { answers } = await decider.decide({ state: request.state, questions: { angry: noulQuestion as never } });
    const { angry } = answers as unknown as { angry: Answer };
    expect(remote.answers.angry.noul).toBe(angry.probabilities["true" as never]);
  });
});

describe("a request that cannot be answered", () => {
  const latin = Buffer.concat([Buffer.from('{"state":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
  const deep = `{"state":${"[".repeat(2_000)}${"]".repeat(2_000)},"questions":{}}`;

  it.each<[string, unknown, number, string]>([
    ["no JSON", "{", 400, "not JSON"],
    ["no object", "[]", 400, "not a JSON object"],
    ["no UTF-8", latin, 400, "UTF-8"],
    ["too deep", deep, 400, "inside each other"],
    ["too long", { ...request, state: "x".repeat(20_000) }, 413, "longer than"],
    ["the same key twice", '{"state":"x","state":"y"}', 400, "not JSON"],
    ["no questions", { state: "x" }, 422, "questions"],
    [
      "too many questions",
      { state: "x", questions: Object.fromEntries("abcde".split("").map((id) => [id, noulQuestion])) },
      422,
      "5 questions",
    ],
    ["one option", { state: "x", questions: { q: { type: "choice", criteria: { a: null } } } }, 422, "q"],
    ["an unknown kind", { state: "x", questions: { q: { type: "rank" } } }, 422, "q"],
    ["an empty state", { ...request, state: "" }, 422, "state"],
    ["no state", { ...request, state: null }, 422, "state"],
    ["a model that nobody has", { ...request, model: "gpt" }, 400, "gpt"],
    ["a model that is no text", { ...request, model: 7 }, 422, "model"],
  ])("%s", async (_, body, status, message) => {
    const { post } = server();
    const response = await post(body);
    expect(response.status).toBe(status);
    const told = await bodyOf(response);
    expect(status === 422 ? told.detail[0].msg : told.error.message).toContain(message);
    expect(told.optio).toMatchObject({ code: expect.any(String), request_id: expect.any(String) });
    if (status === 422) expect(told.detail[0]).toMatchObject({ type: expect.any(String), loc: expect.any(Array) });
    // It harmed nobody.
    expect((await post(request)).status).toBe(200);
  });

  it("cannot reach into objects by their names", async () => {
    const { post } = server();
    const response = await post(
      '{"__proto__":{"state":"y"},"state":{"__proto__":{"x":1}},"questions":{"__proto__":{"type":"noul"},"constructor":{"type":"noul"}}}',
    );
    expect([200, 422]).toContain(response.status);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it("has another type than JSON, path or method", async () => {
    const { app, post } = server();
    expect((await post(request, "/v1/systemone", { "content-type": "text/plain" })).status).toBe(415);
    expect((await post(request, "/v2/systemone")).status).toBe(404);
    expect((await app.request("/v1/systemone")).status).toBe(404);
  });

  it.each([
    ["queue_full", 429, true],
    ["engine_crashed", 503, true],
    ["out_of_memory", 503, true],
    ["timeout", 504, false],
    ["context_too_long", 400, false],
    ["non_finite_scores", 500, false],
  ] as const)("because of %s", async (code, status, again) => {
    const { post } = server({ failWith: code });
    const response = await post(request);
    expect(response.status).toBe(status);
    expect(response.headers.has("retry-after")).toBe(again);
    expect(await response.json()).toMatchObject({ optio: { code } });
  });

  it("takes too long, or finds the queue full", async () => {
    const { post } = server({ delayMs: 300, maxQueue: 1 }, { timeoutMs: 500 });
    const statuses = await Promise.all(Array.from({ length: 4 }, async () => (await post(request)).status));
    expect(statuses.sort()).toEqual([200, 429, 429, 504]);
  });

  it("whatever it holds, gets an answer that is JSON, and never a failure of ours", async () => {
    const { post } = server();
    const wire = fc.record(
      {
        state: fc.jsonValue(),
        model: fc.option(fc.string()),
        questions: fc.oneof(
          fc.jsonValue(),
          fc.dictionary(
            fc.string(),
            fc.record(
              {
                type: fc.constantFrom("choice", "noul", "score"),
                instructions: fc.jsonValue(),
                criteria: fc.jsonValue(),
              },
              { requiredKeys: [] },
            ),
          ),
        ),
      },
      { requiredKeys: [] },
    );
    const bodies = fc.oneof(
      fc.string(),
      fc.json(),
      wire.map((value) => JSON.stringify(value)),
    );
    await fc.assert(
      fc.asyncProperty(bodies, fc.constantFrom("/v1/systemone", "/invocations"), async (body, path) => {
        const response = await post(body, path);
        expect(response.status, body).toBeLessThan(500);
        await response.json();
      }),
      { numRuns: 400 },
    );
  });
});

describe("who may ask", () => {
  const keyed = { access: { keys: ["alpha", "beta"], origins: ["https://tool.example"] } };

  it("needs one of the keys, where there are any", async () => {
    const { post, app } = server({}, keyed);
    for (const [authorization, status] of [
      ["", 401],
      ["Bearer gamma", 401],
      ["Bearer alph", 401],
      ["Basic alpha", 401],
      ["Bearer alpha", 200],
      ["bearer beta", 200],
    ] as const) {
      expect((await post(request, "/v1/systemone", { authorization })).status, authorization).toBe(status);
    }
    expect((await app.request("/v1/models")).status).toBe(401);
    expect((await app.request("/healthz")).status).toBe(200);
  });

  it("is no page of another origin, with keys or without", async () => {
    for (const settings of [keyed, {}]) {
      const { post } = server({}, settings);
      const headers = { authorization: "Bearer alpha", origin: "https://evil.example" };
      const response = await post(request, "/v1/systemone", headers);
      expect(response.status).toBe(403);
      expect(response.headers.get("access-control-allow-origin")).not.toBe("*");
    }
  });

  it("may be a page that is allowed", async () => {
    const { app, post } = server({}, keyed);
    const headers = { authorization: "Bearer alpha", origin: "https://tool.example" };
    const response = await post(request, "/v1/systemone", headers);
    expect(response.status).toBe(200);
    expect(response.headers.get("access-control-allow-origin")).toBe("https://tool.example");
    const preflight = await app.request("/v1/systemone", {
      method: "OPTIONS",
      headers: { origin: "https://tool.example", "access-control-request-method": "POST" },
    });
    expect(preflight.headers.get("access-control-allow-origin")).toBe("https://tool.example");
  });
});

describe("POST /invocations", () => {
  const semif = {
    id: "row-1",
    state: "I was charged twice.",
    question: "Which team?",
    options: [
      { id: "2", description: "Billing" },
      { id: "1", description: "Technical" },
    ],
  };

  it("knows System One by its questions, and echoes custom attributes", async () => {
    const { post } = server();
    const attributes = { "x-amzn-sagemaker-custom-attributes": "trace=7" };
    const response = await post(request, "/invocations", attributes);
    expect(response.headers.get("x-amzn-sagemaker-custom-attributes")).toBe("trace=7");
    expect(await response.json()).toMatchObject({ answers: { angry: { type: "noul" } } });
  });

  it("knows SemIf by its decision, in the order of the request", async () => {
    const { post } = server();
    const { result } = await bodyOf(await post({ decision: semif }, "/invocations"));
    expect(result).toMatchObject({ id: "row-1", option_ids: ["2", "1"] });
    expect(result.probabilities[0] + result.probabilities[1]).toBeCloseTo(1, 9);

    const decisions = ["10", "9"].map((id) => ({ ...semif, id }));
    const shared = await bodyOf(await post({ decisions }, "/invocations"));
    expect(shared.results.map(({ id }: { id: string }) => id)).toEqual(["10", "9"]);
    expect(shared.timing.batch_size).toBe(2);
  });

  it.each([
    [{ decision: semif, more: 1 }],
    [{ decision: { ...semif, options: semif.options.slice(1) } }],
    [{ decision: { ...semif, extra: 1 } }],
    [{ decisions: [] }],
    [{ decisions: [semif, semif] }],
    [{ decisions: [semif, { ...semif, id: "b", state: "another" }] }],
    [{ decisions: Array.from({ length: 9 }, (_, id) => ({ ...semif, id: String(id) })) }],
    [{}],
  ])("refuses %j", async (body) => {
    const { post } = server();
    expect((await post(body, "/invocations")).status).toBe(400);
  });

  it("says that its engine does not chat", async () => {
    const { post } = server();
    const messages = [{ role: "user", content: "Hello" }];
    expect((await post({ messages }, "/invocations")).status).toBe(501);
  });

  it("answers lines by lines, errors among them", async () => {
    const { post } = server();
    const lines = [JSON.stringify(request), "{", "", JSON.stringify({ decision: semif })].join("\n");
    const response = await post(lines, "/invocations", { "content-type": "application/jsonlines" });
    const answers = (await response.text())
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(answers).toHaveLength(3);
    expect(answers[0]).toHaveProperty("answers.angry");
    expect(answers[1]).toHaveProperty("error.message");
    expect(answers[2]).toHaveProperty("result.id", "row-1");
  });
});

describe("how it is", () => {
  it("is ready after a decision, and not before", async () => {
    const { app, readiness } = server();
    for (const path of ["/ping", "/readyz"]) expect((await app.request(path)).status).toBe(503);
    expect((await app.request("/healthz")).status).toBe(200);
    await readiness.prove();
    for (const path of ["/ping", "/readyz"]) expect((await app.request(path)).status).toBe(200);
  });

  it("is not ready when the model cannot be started, and says so", async () => {
    const { app, readiness } = server({ failStartWith: "model_invalid" });
    await expect(readiness.prove()).rejects.toMatchObject({ code: "model_invalid" });
    expect(await (await app.request("/readyz")).json()).toEqual({ status: "failed" });
  });

  it("counts", async () => {
    const { app, post } = server();
    await post(request);
    await post("{");
    await app.request("/who/knows");
    const text = await (await app.request("/metrics")).text();
    expect(text).toContain('optio_requests_total{route="/v1/systemone",status="200"} 1');
    expect(text).toContain('optio_requests_total{route="/v1/systemone",status="400"} 1');
    expect(text).toContain('optio_requests_total{route="other",status="404"} 1');
    expect(text).toContain('optio_questions_total{type="noul"} 1');
    expect(text).toMatch(/optio_tokens_total\{kind="evaluated"\} \d+/);
  });

  it("names its model", async () => {
    const { app } = server();
    expect(await (await app.request("/v1/models")).json()).toMatchObject({ models: [{ name: "fake" }] });
  });
});
