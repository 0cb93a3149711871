import { homedir } from "node:os";
import { join } from "node:path";
import {
  type Answer,
  choice,
  createDecider,
  type EngineSource,
  noul,
  type QuestionsInput,
  remote,
  score,
  wasm,
} from "@optio/core";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SageMakerDouble, sageMakerDouble } from "../../test/sagemaker-double.js";
import { native } from "../native/native.js";
import { readConfig } from "../server/config.js";
import { type RunningServer, startServer } from "../server/serve.js";
import type { CodecName } from "./codecs/codec.js";
import { sagemaker } from "./sagemaker.js";

const model = join(
  process.env["OPTIO_CACHE"] || join(homedir(), ".cache/optio"),
  "models/b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53/SmolLM2-135M-Instruct.Q4_1.gguf",
);
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
const letter = { kind: "letter", orders: 1, prior: false, length: "total" } as const;

/**
 * Most that log-probabilities may differ, root mean square, in nats. Where tokens go through the model in other batches, or in a
 * build with other arithmetic, activations of 8 bits round otherwise.
 */
const mostNats = 0.1;

let server: RunningServer;
let double: SageMakerDouble;
beforeAll(async () => {
  const config = readConfig({
    flags: { port: 0, engine: "native", model, contextTokens },
    env: {},
    modelFolder: "/nowhere",
  });
  server = await startServer(config, { log: pino({ level: "silent" }) });
  await server.ready;
  double = await sageMakerDouble({ decisions: { container: server.url } });
});
afterAll(async () => {
  await double?.[Symbol.asyncDispose]();
  await server?.close();
});

async function ask(engine: EngineSource, asked: QuestionsInput, how = {}) {
  await using decider = createDecider({ engine });
  const { answers, usage } = await decider.decide({ state, questions: asked, ...how });
  const distributions = Object.values(answers as Record<string, Answer>).map(({ distribution }) => distribution);
  return { usage, logProbabilities: distributions.flat().map(({ probability }) => Math.log(probability)) };
}
type Found = Awaited<ReturnType<typeof ask>>;
const differenceOf = (found: Found, expected: Found) =>
  rootMeanSquare(found.logProbabilities, expected.logProbabilities);
const rootMeanSquare = (a: readonly number[], b: readonly number[]) =>
  Math.sqrt(a.reduce((sum, value, index) => sum + (value - (b[index] ?? Number.NaN)) ** 2, 0) / a.length);
const here = () => native({ model, contextTokens });
const there = (codec: CodecName) =>
  sagemaker({
    endpoint: "decisions",
    codec,
    endpointUrl: double.url,
    credentials: double.credentials,
    region: double.region,
  });

describe("the same decision", () => {
  it("by the native engine, here and behind a server, by System One", async () => {
    const expected = await ask(here(), questions);
    for (const engine of [remote({ url: server.url }), there("systemone")]) {
      const found = await ask(engine, questions);
      expect(differenceOf(found, expected)).toBeLessThan(mostNats);
    }
  });

  it("by chat completions of a container, which are read by letters in one order", async () => {
    for (const [id, question] of Object.entries(questions)) {
      const expected = await ask(here(), { [id]: question }, { readout: letter, reuse: false });
      const found = await ask(there("chat"), { [id]: question }, { reuse: false });
      expect(differenceOf(found, expected), id).toBeLessThan(mostNats);
      // The text is the same. Here its sections become tokens each by itself, there as a whole, so that a line break between two
      // may be written otherwise.
      expect(Math.abs(found.usage.inputTokens - expected.usage.inputTokens)).toBeLessThan(5);
    }
  });

  it("by the wire of AWS's sample, which asks all questions as choices between texts", async () => {
    const asSent = {
      team: choice(questions.team.instructions, {
        o1: "billing: Invoices and refunds",
        o2: "technical: Bugs and outages",
      }),
      angry: choice(questions.angry.instructions, { o1: "yes", o2: "no" }),
      urgency: choice(questions.urgency.instructions, { o1: "0: can wait", o2: "1: this week", o3: "2: now" }),
    };
    expect(differenceOf(await ask(there("semif"), questions), await ask(here(), asSent))).toBeLessThan(mostNats);
  });

  it("by the WebAssembly engine, whose arithmetic is another", async () => {
    const found = await ask(wasm({ model, contextTokens }), questions);
    expect(differenceOf(found, await ask(here(), questions))).toBeLessThan(mostNats);
  });

  it("and not any decision: another state is further away", async () => {
    const other = createDecider({ engine: here() });
    const { answers } = await other.decide({ state: "Thank you, all is well.", questions });
    await other.close();
    const logProbabilities = Object.values(answers as Record<string, Answer>).flatMap(({ distribution }) =>
      distribution.map(({ probability }) => Math.log(probability)),
    );
    expect(rootMeanSquare(logProbabilities, (await ask(here(), questions)).logProbabilities)).toBeGreaterThan(mostNats);
  });
});
