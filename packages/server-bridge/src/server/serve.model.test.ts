import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createDecider, noul } from "@optio/core";
import { APIError, choice, TypeSafeClient } from "@typesafe-ai/sdk";
import OpenAI from "openai";
import { afterEach, describe, expect, it } from "vitest";
import { sageMakerDouble } from "../../test/sagemaker-double.js";
import { sagemaker } from "../sagemaker/sagemaker.js";

// The real program on a real socket, asked by the wire's own client.
const program = fileURLToPath(new URL("../../../cli/bin/optio.js", import.meta.url));
const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
});

interface Served {
  readonly url: string;
  readonly child: ChildProcess;
  readonly log: readonly string[];
  readonly exited: Promise<number | null>;
  untilReady(): Promise<void>;
}

async function serve(...flags: readonly string[]): Promise<Served> {
  const child = spawn(
    process.execPath,
    [program, "serve", "--port", "0", "--model", "smollm2-135m-instruct", "--threads", "2", ...flags],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  running.push(child);
  const log: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => log.push(line));
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    void exited.then((code) => reject(new Error(`exit code ${code}: ${log.join("\n")}`)));
  });
  const untilReady = async () => {
    for (;;) {
      if ((await fetch(`${url}/readyz`)).ok) return;
      await sleep(50);
    }
  };
  return { url, child, log, exited, untilReady };
}

/** The processes that a process has started, as Linux tells them. */
function childrenOf(parent: number): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        // After the name, which may hold anything: state and parent.
        const [, ppid] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
        return Number(ppid) === parent;
      } catch {
        return false;
      }
    })
    .map(Number);
}

const client = ({ url }: Served, apiKey = "none") =>
  new TypeSafeClient({ baseURL: url, apiKey, timeout: 60_000, retry: { maxRetries: 0 } });
const questions = {
  team: choice("Which team should handle this ticket?", { "2": "Invoices and refunds", "1": "Bugs and outages" }),
  angry: { type: "noul", instructions: "Is the customer angry?" },
  urgency: { type: "score", criteria: ["can wait", "this week", "now"] },
} as const;
const state = "I was charged twice this month. I want my money back today!";

describe.each(["native", "wasm"])("optio serve with the %s engine", (engine) => {
  it("answers the wire's own client", async () => {
    const server = await serve("--engine", engine, "--key", "secret");
    await server.untilReady();
    const result = await client(server, "secret").systemOne({ state, questions });
    expect(result.model).toBe("smollm2-135m-instruct");
    const { team, angry, urgency } = result.answers;
    expect(team.probabilities["1"] + team.probabilities["2"]).toBeCloseTo(1, 9);
    expect(["1", "2"]).toContain(team.choice);
    expect(angry.noul).toBeGreaterThan(0);
    expect(angry.noul).toBeLessThan(1);
    expect(urgency.legend).toEqual({ 0: "can wait", 1: "this week", 2: "now" });
    expect(result.usage.output_tokens).toBe(0);
    expect(JSON.stringify(result)).toContain(`"kind":"${engine}"`);

    const models = await client(server, "secret").models.list();
    expect(models.map(({ name }) => name)).toEqual(["smollm2-135m-instruct"]);
    await expect(client(server, "wrong").systemOne({ state, questions })).rejects.toMatchObject({ status: 401 });
    // Neither what was asked nor the key is in the log.
    expect(server.log.join("\n")).not.toMatch(/charged|secret/);
  });
});

describe.each(["native", "wasm"])("chats of optio serve with the %s engine", (engine) => {
  it("are answered to OpenAI's own client, the same for the same seed", async () => {
    const server = await serve("--engine", engine);
    await server.untilReady();
    const openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none", maxRetries: 0 });
    const messages = [{ role: "user" as const, content: "Name three fruits, separated by commas." }];
    const request = { model: "optio-latest", messages, max_tokens: 24, temperature: 0.7, seed: 5, cache_prompt: false };
    const first = await openai.chat.completions.create(request);
    const text = first.choices[0]?.message.content ?? "";
    expect(text.length).toBeGreaterThan(5);
    expect(first.usage?.completion_tokens).toBeLessThanOrEqual(24);
    const stream = await openai.chat.completions.create({ ...request, stream: true });
    let streamed = "";
    for await (const chunk of stream) streamed += chunk.choices[0]?.delta.content ?? "";
    expect(streamed).toBe(text);

    const greedy = await openai.chat.completions.create({
      ...request,
      temperature: 0,
      max_tokens: 1,
      logprobs: true,
      top_logprobs: 5,
    });
    const [token] = greedy.choices[0]?.logprobs?.content ?? [];
    expect(token?.top_logprobs).toHaveLength(5);
    expect(token?.token).toBe(token?.top_logprobs[0]?.token);
    expect(token?.logprob).toBeLessThanOrEqual(0);
  });
});

describe("optio serve", () => {
  it("gives clients errors that they can read", async () => {
    const server = await serve("--engine", "native", "--context", "256");
    await server.untilReady();
    const failing = client(server).systemOne({ state: "word ".repeat(500), questions });
    const error = await failing.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status: 400, message: expect.stringContaining("256") });
    await expect(client(server).systemOne({ state, questions, model: "gpt" })).rejects.toMatchObject({ status: 400 });
  });

  it("survives its engine: one request is lost, the next is answered", async () => {
    const server = await serve("--engine", "native");
    await server.untilReady();
    const ask = (text: string) => client(server).systemOne({ state: text, questions });
    const lost = ask("The quick brown fox jumps over the lazy dog. ".repeat(60));
    await sleep(150);
    const scorers = childrenOf(server.child.pid ?? 0);
    expect(scorers).toHaveLength(1);
    for (const pid of scorers) process.kill(pid, "SIGKILL");
    await expect(lost).rejects.toMatchObject({ status: 503 });
    await expect(ask(state)).resolves.toHaveProperty("answers.team");
    expect(await (await fetch(`${server.url}/metrics`)).text()).toContain("optio_engine_crashes_total 1");
  });

  it("stops working for a client that hangs up", async () => {
    const server = await serve("--engine", "native");
    await server.untilReady();
    const body = JSON.stringify({ state: "The quick brown fox jumps over the lazy dog. ".repeat(180), questions });
    const began = performance.now();
    await fetch(`${server.url}/v1/systemone`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      signal: AbortSignal.timeout(200),
    }).catch(() => undefined);
    await client(server).systemOne({ state, questions: { angry: questions.angry } });
    // The long text alone would take seconds.
    const whole = performance.now();
    await client(server).systemOne({ state: JSON.parse(body).state, questions });
    expect(whole - began).toBeLessThan((performance.now() - whole) * 0.8 + 500);
  });

  it("is not held up by clients that say little", async () => {
    const server = await serve("--engine", "native");
    await server.untilReady();
    const { port, hostname } = new URL(server.url);
    const sockets = Array.from({ length: 50 }, () => connect(Number(port), hostname));
    for (const socket of sockets)
      socket.on("error", () => undefined).write("POST /v1/systemone HTTP/1.1\r\nHost: x\r\n");
    const half = httpRequest(`${server.url}/v1/systemone`, {
      method: "POST",
      headers: { "content-type": "application/json", "content-length": "1000" },
    });
    half.on("error", () => undefined).write('{"state":');
    await expect(client(server).systemOne({ state, questions })).resolves.toHaveProperty("answers.team");
    for (const socket of sockets) socket.destroy();
    half.destroy();
  });

  it("lets requests end when it is told to, and takes no new ones", async () => {
    const server = await serve("--engine", "native");
    await server.untilReady();
    const last = client(server).systemOne({ state, questions });
    await sleep(50);
    server.child.kill("SIGTERM");
    await expect(last).resolves.toHaveProperty("answers.team");
    const answered = performance.now();
    expect(await server.exited).toBe(0);
    expect(performance.now() - answered).toBeLessThan(5_000);
    await expect(fetch(server.url)).rejects.toThrow();
  });

  it("is a container of SageMaker: `serve`, its settings as SM_ variables, and asked through the service", async () => {
    const env = { SM_OPTIO_PORT: "0", SM_OPTIO_ENGINE: "native", SM_OPTIO_MODEL: "smollm2-135m-instruct" };
    const child = spawn(process.execPath, [program, "serve"], {
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, ...env },
    });
    running.push(child);
    const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
    const url = await new Promise<string>((resolve) => {
      createInterface({ input: child.stdout as Readable }).once("line", resolve);
    });
    expect((await fetch(`${url}/ping`)).status).toBe(503);
    while ((await fetch(`${url}/ping`)).status !== 200) await sleep(50);
    await using aws = await sageMakerDouble({ decisions: { container: url } });
    const { credentials, region } = aws;
    const engine = sagemaker({ endpoint: "decisions", codec: "systemone", endpointUrl: aws.url, credentials, region });
    await using decider = createDecider({ engine });
    const { answers, receipt } = await decider.decide({ state, questions: { angry: noul("Is the customer angry?") } });
    expect(answers.angry.noul).toBeGreaterThan(0);
    expect(receipt).toMatchObject({
      engine: { kind: "sagemaker" },
      upstream: { receipt: { engine: { kind: "native" } } },
    });
    child.kill("SIGTERM");
    expect(await exited).toBe(0);
  });

  it("answers although the disk that its log goes to is full", async () => {
    const full = openSync("/dev/full", "w");
    const flags = ["serve", "--port", "0", "--engine", "native", "--model", "smollm2-135m-instruct", "--threads", "2"];
    const child = spawn(process.execPath, [program, ...flags], { stdio: ["ignore", "pipe", full] });
    closeSync(full);
    running.push(child);
    const url = await new Promise<string>((resolve) => {
      createInterface({ input: child.stdout as Readable }).once("line", resolve);
    });
    while (!(await fetch(`${url}/readyz`)).ok) await sleep(50);
    const served = { url, child, log: [], exited: Promise.resolve(null), untilReady: async () => undefined };
    for (let call = 0; call < 3; call++) {
      await expect(client(served).systemOne({ state, questions })).resolves.toHaveProperty("answers.team");
    }
  });

  it("ends with an error when there is no model or no port", async () => {
    const { url } = await serve("--engine", "native");
    await expect(serve("--port", new URL(url).port)).rejects.toThrow(/exit code 2/);
    const missing = await serve("--model", "/nowhere/none.gguf");
    expect(await missing.exited).toBe(3);
  });
});
