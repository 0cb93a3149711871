import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Answer, choice, createDecider, noul, score } from "@optio/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { native } from "../../src/native/native.js";
import { sagemaker } from "../../src/sagemaker/sagemaker.js";
import { type SageMakerDouble, sageMakerDouble } from "../sagemaker-double.js";
import { fixtureModel } from "./program.js";
import { report } from "./report.js";

// AWS's plain llama.cpp container as far as SageMaker reaches it: llama-server behind /ping and /invocations, which go to /health
// and to chat completions.
const program = process.env["OPTIO_LLAMA_SERVER"] ?? "";
const contextTokens = 1_024;
const state = "I was charged twice this month. I want my money back today!";
const questions = {
  team: choice("Which team should handle this ticket?", {
    billing: "Invoices and refunds",
    technical: "Bugs and outages",
  }),
  angry: noul("Is the customer angry?"),
  urgency: score("How urgent is it?", ["can wait", "this week", "now"]),
};

let child: ChildProcess;
let double: SageMakerDouble;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  expect(program, "OPTIO_LLAMA_SERVER names llama-server: npm run test:long builds it").not.toBe("");
  const port = await freePort();
  const flags = [
    "--model",
    fixtureModel,
    "--host",
    "127.0.0.1",
    "--port",
    String(port),
    "--ctx-size",
    String(contextTokens),
  ];
  child = spawn(program, [...flags, "--parallel", "1", "--threads", "2"], { stdio: "ignore" });
  closing.push(() => child.kill("SIGKILL"));
  const upstream = `http://127.0.0.1:${port}`;
  while (
    !(await fetch(`${upstream}/health`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await new Promise((resolve) => setTimeout(resolve, 200));
  const container = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const path = request.url === "/ping" ? "/health" : "/v1/chat/completions";
    const answer = await fetch(upstream + path, {
      method: request.method ?? "GET",
      ...(request.method === "POST" ? { body, headers: { "content-type": "application/json" } } : {}),
    });
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => container.listen(0, "127.0.0.1", resolve));
  closing.push(() => container.close());
  double = await sageMakerDouble({
    plain: { container: `http://127.0.0.1:${(container.address() as AddressInfo).port}` },
  });
  closing.push(() => double[Symbol.asyncDispose]());
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

const chat = () => {
  const { url: endpointUrl, credentials, region } = double;
  return sagemaker({ endpoint: "plain", codec: "chat", endpointUrl, credentials, region });
};

describe("the chat codec against a real llama-server", () => {
  it("finds what the native engine finds", async () => {
    await using there = createDecider({ engine: chat() });
    await using here = createDecider({ engine: native({ model: fixtureModel, contextTokens }) });
    const readout = { kind: "letter", orders: 1, prior: false } as const;
    const far = await there.decide({ state, questions, reuse: false });
    const near = await here.decide({ state, questions, reuse: false, readout });
    const numbers = (answers: object) =>
      Object.values(answers as Record<string, Answer>).flatMap(({ distribution }) =>
        distribution.map(({ probability }) => Math.log(probability)),
      );
    const [a, b] = [numbers(far.answers), numbers(near.answers)];
    const difference = Math.sqrt(
      a.reduce((sum, value, index) => sum + (value - (b[index] ?? Number.NaN)) ** 2, 0) / a.length,
    );
    report("Chat codec by llama-server b11434 beside the native engine, SmolLM2-135M", {
      "RMS of log-probabilities, nats": difference,
    });
    expect(difference).toBeLessThan(0.1);
    for (const answer of Object.values(far.answers as Record<string, Answer>))
      expect(answer.labelMass).toBeGreaterThan(0);
  });

  it("tells a conversation that is too long apart", async () => {
    await using decider = createDecider({ engine: chat() });
    const decision = decider.decide({ state: "word ".repeat(3_000), questions });
    await expect(decision).rejects.toMatchObject({ code: "context_too_long" });
  });
});
