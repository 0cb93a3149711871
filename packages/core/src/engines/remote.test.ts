import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createDecider } from "../decider.js";
import { OptioError } from "../errors.js";
import { choice } from "../questions/choice.js";
import { noul } from "../questions/noul.js";
import { score } from "../questions/score.js";
import { type RemoteOptions, remote } from "./remote.js";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** A server that gives these replies in turn, the last for ever, and keeps what it was asked. */
async function scripted(...replies: readonly Reply[]) {
  const requests: { readonly url: string; readonly headers: IncomingMessage["headers"]; readonly body: string }[] = [];
  const url = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { status = 200, headers = {}, body = answer } = replies[Math.min(requests.length, replies.length - 1)] ?? {};
    requests.push({ url: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  return { url, requests };
}

const questions = {
  team: choice("Which team?", [
    ["7", "billing"],
    ["2", "technical"],
  ]),
  angry: noul("Angry?"),
  urgency: score("How urgent?", ["later", "today", "now"]),
};
const state = { subject: "Invoice", body: "It is wrong." };
const answers = {
  team: { type: "choice", choice: "7", probabilities: { "2": 0.25, "7": 0.75 }, confidence: 0.5 },
  angry: { type: "noul", noul: 0.2 },
  urgency: {
    type: "score",
    score: 1.0,
    legend: {},
    probabilities: { "0": 0.25, "1": 0.5, "2": 0.25 },
    confidence: 0.25,
  },
};
const answer = { model: "jev-1.13.0", answers, usage: { input_tokens: 70, output_tokens: 0 } };

const decide = async (options: RemoteOptions, request: object = {}) => {
  await using decider = createDecider({ engine: remote(options) });
  return await decider.decide({ state, questions, ...request });
};
const failureOf = (options: RemoteOptions, request: object = {}) =>
  decide(options, request).then(() => expect.fail("no error"), OptioError.from);

describe("remote", () => {
  it("asks by the System One wire and reads each type of answer", async () => {
    const { url, requests } = await scripted({ headers: { "x-typesafe-request-id": "r-1" } });
    const decision = await decide({ url, apiKey: "secret", headers: { "x-team": "support" } });
    expect(decision.answers.team).toMatchObject({ choice: "7", probabilities: { "7": 0.75, "2": 0.25 } });
    expect(decision.answers.angry).toMatchObject({ noul: 0.2, value: false });
    expect(decision.answers.urgency.score).toBeCloseTo(1, 12);
    expect(decision.receipt).toMatchObject({
      engine: { kind: "remote", backend: new URL(url).host },
      model: { id: "jev-1.13.0" },
      readout: null,
      profile: null,
      upstream: { requestId: "r-1", receipt: null },
      attempts: [{ engine: "remote", destination: new URL(url).host, outcome: "answered", reason: null }],
    });
    expect(decision.usage).toMatchObject({ inputTokens: 70, outputTokens: 0 });

    const [request] = requests;
    expect(request?.url).toBe("/v1/systemone");
    expect(request?.headers).toMatchObject({
      authorization: "Bearer secret",
      "x-team": "support",
      "x-typesafe-retry-count": "0",
      "x-typesafe-sdk": expect.stringContaining("optio/"),
    });
    // The order of the labels is the order of the options, which a parsed object would have lost.
    expect(request?.body).toContain('"criteria":{"7":"billing","2":"technical"}');
    expect(JSON.parse(request?.body ?? "")).toMatchObject({ model: "jev-latest", state });
  });

  it("keeps the path of an address, and does not add the wire's twice", async () => {
    const { url, requests } = await scripted({});
    await decide({ url: `${url}/gateway/` });
    await decide({ url: new URL(`${url}/gateway/v1/systemone`) });
    expect(requests.map((request) => request.url)).toEqual(["/gateway/v1/systemone", "/gateway/v1/systemone"]);
  });

  it("asks for a key each time it needs one", async () => {
    const { url, requests } = await scripted({});
    let calls = 0;
    await using decider = createDecider({ engine: remote({ url, apiKey: async () => `key-${++calls}` }) });
    await decider.decide({ state, questions });
    await decider.decide({ state, questions });
    expect(requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer key-1", "Bearer key-2"]);
  });

  it("says what the wire cannot carry", async () => {
    const { url } = await scripted({});
    const decision = await decide({ url }, { readout: { orders: 2 }, reuse: false });
    expect(decision.warnings).toHaveLength(2);
    expect((await decide({ url })).warnings).toEqual([]);
  });

  it("has several decisions on their way, but no more than it may", async () => {
    let running = 0;
    let most = 0;
    const url = await serve((request, response) => {
      most = Math.max(most, ++running);
      request.resume();
      setTimeout(() => {
        running--;
        response.end(JSON.stringify(answer));
      }, 20);
    });
    await using decider = createDecider({ engine: remote({ url, concurrency: 3 }) });
    await Promise.all(Array.from({ length: 8 }, () => decider.decide({ state, questions })));
    expect(most).toBe(3);
    most = 0;
    const { results } = await decider.decideMany({ states: Array.from({ length: 7 }, () => state), questions });
    expect(results.every(({ status }) => status === "fulfilled")).toBe(true);
    expect(most).toBe(3);
  });

  it("does not follow a redirect with the state", async () => {
    const other = await scripted({});
    const { url } = await scripted({ status: 307, headers: { location: other.url } });
    expect(await failureOf({ url, retries: 0 })).toMatchObject({ code: "engine_unavailable" });
    expect(other.requests).toEqual([]);
  });
});

describe("remote, again after failures", () => {
  it.each([408, 429, 500, 502, 503, 504, 529])("that time may cure: %i", async (status) => {
    const { url, requests } = await scripted({ status, headers: { "retry-after-ms": "1" } }, {});
    await decide({ url });
    expect(requests.map(({ headers }) => headers["x-typesafe-retry-count"])).toEqual(["0", "1"]);
  });

  it.each([400, 401, 403, 404, 413, 422])("but not after %i", async (status) => {
    const { url, requests } = await scripted({ status });
    await failureOf({ url });
    expect(requests).toHaveLength(1);
  });

  it("after a connection that broke", async () => {
    let asked = 0;
    const url = await serve((request, response) => {
      if (asked++ === 0) request.socket.destroy();
      else response.end(JSON.stringify(answer));
    });
    await decide({ url });
    expect(asked).toBe(2);
  });

  it("as often as it may, and then says what the last answer was", async () => {
    const { url, requests } = await scripted({ status: 503, body: { error: { message: "Loading." } } });
    const error = await failureOf({ url, retries: 1 });
    expect(error).toMatchObject({ code: "engine_unavailable", details: { status: 503 } });
    expect(error.message).toContain("Loading.");
    expect(requests).toHaveLength(2);
  });

  it("waits as long as it is asked to, unless the call would be over by then", async () => {
    const { url } = await scripted({ status: 429, headers: { "retry-after": "1" } }, {});
    const began = performance.now();
    await decide({ url });
    expect(performance.now() - began).toBeGreaterThan(950);

    const busy = await scripted({ status: 429, headers: { "retry-after": "30" } }, {});
    expect(await failureOf({ url: busy.url }, { timeoutMs: 5_000 })).toMatchObject({ code: "overloaded" });
    expect(busy.requests).toHaveLength(1);
  });

  it("ends at once when aborted, also while it waits", async () => {
    const { url } = await scripted({ status: 429, headers: { "retry-after": "30" } });
    const controller = new AbortController();
    const pending = decide({ url }, { signal: controller.signal });
    setTimeout(() => controller.abort("enough"), 50);
    await expect(pending).rejects.toBe("enough");
  });

  it("gives an attempt that hangs up, and the call at its limit", async () => {
    const url = await serve(() => undefined);
    expect(await failureOf({ url, attemptTimeoutMs: 30, retries: 0 })).toMatchObject({ code: "timeout" });
    expect(await failureOf({ url }, { timeoutMs: 30 })).toMatchObject({ code: "timeout", details: { timeoutMs: 30 } });
  });
});

describe("remote, a refusal", () => {
  it.each([
    [401, { error: { type: "authentication_error", message: "No such key." } }, "access_denied", "No such key."],
    [403, { message: "Not yours." }, "access_denied", "Not yours."],
    [404, "<html>nothing here</html>", "engine_unavailable", "404"],
    [501, { error: "This is no decision model." }, "model_unsupported", "no decision model"],
    [400, { error: { type: "max_tokens_exceeded", message: "Too long." } }, "context_too_long", "Too long."],
    [400, { error: { type: "api_usage_error", message: "Unknown model." } }, "request_refused", "Unknown model."],
    [
      422,
      { detail: [{ type: "x", loc: ["body", "state"], msg: "is empty" }] },
      "request_refused",
      "body.state: is empty",
    ],
    [422, { detail: "Not so." }, "request_refused", "Not so."],
    [429, { error: {}, optio: { code: "queue_full", hint: "Wait for a while." } }, "queue_full", "429"],
    [500, "", "engine_unavailable", "500"],
  ])("%i %j", async (status, body, code, said) => {
    const { url } = await scripted({ status, body });
    const error = await failureOf({ url, retries: 0 });
    expect(error).toMatchObject({ code, details: { status } });
    expect(error.message).toContain(said);
  });

  it("says what to do about it", async () => {
    const refusedBy = async (status: number) => failureOf({ url: (await scripted({ status })).url, retries: 0 });
    expect(await refusedBy(401)).toMatchObject({
      code: "access_denied",
      hint: expect.stringContaining("Check the key"),
    });
    expect(await refusedBy(429)).toMatchObject({
      code: "overloaded",
      hint: expect.stringContaining("try again later"),
    });
    expect(await refusedBy(400)).toMatchObject({ code: "request_refused", hint: expect.stringContaining("says why") });
  });

  it("names the request, for the server's log", async () => {
    const { url } = await scripted({ status: 400, headers: { "x-typesafe-request-id": "r-9" } });
    expect(await failureOf({ url })).toMatchObject({ details: { requestId: "r-9" } });
  });

  it("a host that is not there", async () => {
    const error = await failureOf({ url: "http://127.0.0.1:9", retries: 0 });
    expect(error).toMatchObject({ code: "engine_unavailable" });
    expect(error.message).toContain("127.0.0.1:9");
  });
});

describe("remote, an answer that does not fit", () => {
  const without = (id: string) => Object.fromEntries(Object.entries(answers).filter(([name]) => name !== id));
  it.each([
    ["no JSON", "<html>"],
    ["no object", "[]"],
    ["no answers", { model: "x" }],
    ["a question left out", { ...answer, answers: without("angry") }],
    ["an option left out", { ...answer, answers: { ...answers, team: { probabilities: { "7": 1 } } } }],
    [
      "an option too many",
      { ...answer, answers: { ...answers, team: { probabilities: { "7": 0.5, "2": 0.5, x: 0 } } } },
    ],
    ["a number out of range", { ...answer, answers: { ...answers, angry: { noul: 1.5 } } }],
    ["text for a number", { ...answer, answers: { ...answers, angry: { noul: "0.5" } } }],
    ["a sum far from 1", { ...answer, answers: { ...answers, team: { probabilities: { "7": 0.5, "2": 0.1 } } } }],
  ])("%s", async (_, body) => {
    const { url } = await scripted({ body });
    expect(await failureOf({ url })).toMatchObject({ code: "invalid_distribution" });
  });

  it("takes what hosted servers round", async () => {
    const team = { probabilities: { "7": 0.74, "2": 0.25 } };
    const { url } = await scripted({ body: { ...answer, answers: { ...answers, team } } });
    const decision = await decide({ url });
    expect(decision.answers.team.probabilities["7"]).toBeCloseTo(0.74 / 0.99, 12);
    expect(decision.warnings.join()).toContain("summed to");
  });
});

describe("remote options", () => {
  it.each([
    [{ url: "ftp://example.org" }, "url"],
    [{ url: "example.org" }, "url"],
    [{ url: "https://me:secret@example.org" }, "url"],
    [{}, "url"],
    [{ url: "https://example.org", retries: -1 }, "retries"],
    [{ url: "https://example.org", concurrency: 0 }, "concurrency"],
    [{ url: "https://example.org", apiKey: 5 }, "apiKey"],
    [{ url: "https://example.org", headers: { a: 1 } }, "headers.a"],
  ])("are checked: %j", (options, field) => {
    expect(() => remote(options as never)).toThrow(
      expect.objectContaining({ code: "invalid_setting", details: { field } }),
    );
  });
});
