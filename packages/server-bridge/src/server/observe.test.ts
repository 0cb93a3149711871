import { context, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { fake } from "@optio/core/testing";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "./app.js";
import { readConfig } from "./config.js";
import { Metrics } from "./metrics.js";
import { createModels } from "./models.js";
import { Readiness } from "./readiness.js";
import { logSettings } from "./serve.js";

function server(flags: object = {}) {
  const config = readConfig({ flags, env: {}, modelFolder: "/nowhere" });
  const lines: string[] = [];
  const models = createModels({ models: [{ name: "fake", engine: fake() }], aliases: true, maxQueue: 8 });
  const app = createApp({
    models,
    readiness: new Readiness(models),
    metrics: new Metrics(),
    log: pino(logSettings(config), { write: (line: string) => void lines.push(line) }),
    access: { keys: [], origins: [] },
    limits: { maxBodyBytes: 10_000, maxQuestions: 4 },
    timeoutMs: 2_000,
    logContent: config.logContent,
  });
  const ask = (headers: Record<string, string> = {}) =>
    app.request("/v1/systemone", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({
        state: { text: "charged twice", customer: { email: "a@example.org", plan: "pro" } },
        questions: { angry: { type: "noul" } },
      }),
    });
  return { app, ask, log: () => lines.join("") };
}

describe("the log", () => {
  it("has neither states nor answers", async () => {
    const { ask, log } = server();
    await ask();
    expect(log()).toContain('"status":200');
    expect(log()).not.toMatch(/charged|example\.org|noul/u);
  });

  it("has them when asked to, without what is hidden by its path", async () => {
    const { ask, log } = server({ logContent: true, redact: ["state.customer.email"] });
    await ask();
    expect(log()).toContain("charged twice");
    expect(log()).toContain('"plan":"pro"');
    expect(log()).toContain('"email":"(hidden)"');
    expect(log()).not.toContain("example.org");
    expect(log()).toContain('"noul":');
  });
});

describe("traces", () => {
  const exporter = new InMemorySpanExporter();
  beforeAll(() => {
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  });
  afterAll(() => {
    trace.disable();
    context.disable();
    propagation.disable();
  });

  it("have a span for each request, in the client's trace", async () => {
    const { ask, app } = server();
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    await ask({ traceparent: `00-${traceId}-b7ad6b7169203331-01` });
    await app.request("/nowhere/at/all");
    const [decision, lost] = exporter.getFinishedSpans();
    expect(decision?.name).toBe("POST /v1/systemone");
    expect(decision?.spanContext().traceId).toBe(traceId);
    expect(decision?.attributes).toMatchObject({
      "http.route": "/v1/systemone",
      "http.response.status_code": 200,
      "optio.model": "fake",
      "optio.engine": "fake",
      "optio.questions": 1,
    });
    expect(lost?.name).toBe("GET other");
    // Nothing of what was asked.
    expect(JSON.stringify(decision?.attributes)).not.toContain("charged");
  });
});
