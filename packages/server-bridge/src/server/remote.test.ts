import { type Answer, choice, createDecider, noul, type RemoteOptions, remote, score } from "@optio/core";
import { engineContract, type FakeOptions, fake } from "@optio/core/testing";
import { pino } from "pino";
import { afterAll, describe, expect, it } from "vitest";
import { readConfig } from "./config.js";
import { type RunningServer, startServer } from "./serve.js";

const servers: RunningServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

async function serve(engine: FakeOptions = {}, flags: object = {}): Promise<RunningServer> {
  const config = readConfig({ flags: { port: 0, ...flags }, env: {}, modelFolder: "/nowhere" });
  const server = await startServer(config, { engine: fake(engine), log: pino({ level: "silent" }) });
  servers.push(server);
  return server;
}

const questions = {
  team: choice("Which team?", [
    ["7", "billing"],
    ["2", "technical"],
    ["__proto__", null],
  ]),
  angry: noul("Angry?"),
  urgency: score("How urgent?", ["later", "today", "now"]),
};
const state = { subject: "Invoice", "10": "x", "9": "y" };

describe("the remote engine and optio serve", async () => {
  const { url } = await serve({ delayMs: 20 });
  for (const { name, check } of engineContract(() => remote({ url }).start({}))) it(name, check);

  it("brings the numbers of the engine behind it, to the bit", async () => {
    await using here = createDecider({ engine: fake() });
    await using there = createDecider({ engine: remote({ url }) });
    const near = await here.decide({ state, questions });
    const far = await there.decide({ state, questions });
    const numbers = ({ answers }: { answers: object }) =>
      Object.values(answers as Record<string, Answer>).map(({ distribution }) =>
        distribution.map(({ option, probability }) => [option, probability.toFixed(15)]),
      );
    expect(numbers(far)).toEqual(numbers(near));
    expect(far.usage).toEqual(near.usage);
    expect(far.receipt).toMatchObject({
      model: { id: "fake" },
      engine: { kind: "remote" },
      upstream: { requestId: expect.stringMatching(/^[0-9a-f-]{36}$/u), receipt: { engine: { kind: "fake" } } },
    });
    expect(far.warnings).toEqual([]);
  });

  it("tells failures apart by the server's own codes", async () => {
    const codeOf = async (options: RemoteOptions, request: object = {}) => {
      await using decider = createDecider({ engine: remote({ retries: 0, ...options }) });
      return await decider.decide({ state, questions, ...request }).then(
        () => undefined,
        ({ code, hint }) => [code, hint !== ""],
      );
    };
    for (const failWith of ["context_too_long", "queue_full", "out_of_memory", "low_label_mass"] as const) {
      const failing = await serve({ failWith });
      expect(await codeOf({ url: failing.url })).toEqual([failWith, true]);
    }
    const locked = await serve({}, { keys: ["secret"] });
    expect(await codeOf({ url: locked.url })).toEqual(["access_denied", true]);
    expect(await codeOf({ url: locked.url, apiKey: "secret" })).toBeUndefined();
    expect(await codeOf({ url, model: "gpt" })).toEqual(["request_refused", true]);
  });
});
