import { describe, expect, it } from "vitest";
import { createDecider } from "../decider.js";
import type { DecisionRequest, EngineCallOptions } from "../engines/engine.js";
import { errorHints, OptioError } from "../errors.js";
import { choice } from "../questions/choice.js";
import { noul } from "../questions/noul.js";
import { score } from "../questions/score.js";
import { combinePasses } from "../trust/combine-passes.js";
import { type FakeOptions, fake } from "./fake.js";
import type { FakeAnswerRule } from "./fake-answer.js";

const team = choice("Which team?", ["billing", "technical", "other"]);
const angry = noul("Angry?");
const urgency = score("How urgent?", ["low", "middle", "high"]);
const questions = [
  { id: "team", question: team },
  { id: "angry", question: angry },
  { id: "urgency", question: urgency },
];
const codeOf = (code: string) => expect.objectContaining({ code });

function request(overrides: Partial<DecisionRequest> = {}): DecisionRequest {
  return { state: { kind: "text", text: "Hello" }, questions, readout: {}, reuse: true, ...overrides };
}

function call(overrides: Partial<EngineCallOptions> = {}): EngineCallOptions {
  return { signal: new AbortController().signal, timeoutMs: Number.POSITIVE_INFINITY, ...overrides };
}

async function probabilitiesOf(options: FakeOptions, overrides: Partial<DecisionRequest> = {}) {
  const engine = await fake(options).start({});
  const decision = await engine.decide(request(overrides), call());
  return decision.questions.map((answer, index) => {
    const { question } = questions[index] ?? { question: team };
    return combinePasses(answer, decision.readout, question.options.length).probabilities;
  });
}

describe("fake", () => {
  it("answers by key with 0.9, by probabilities of every option, and by functions of the state", async () => {
    const answers = {
      team: "technical",
      angry: { false: 0.75, true: 0.25 },
      urgency: () => [0.2, 0.3, 0.5],
    };
    const [first, second, third] = await probabilitiesOf({ answers });
    expect(first).toEqual([expect.closeTo(0.05, 12), expect.closeTo(0.9, 12), expect.closeTo(0.05, 12)]);
    expect(second).toEqual([expect.closeTo(0.25, 12), expect.closeTo(0.75, 12)]);
    expect(third).toEqual([expect.closeTo(0.2, 12), expect.closeTo(0.3, 12), expect.closeTo(0.5, 12)]);
  });

  it("takes true and false for a yes/no question and a number for a level", async () => {
    const [, second, third] = await probabilitiesOf({ answers: { angry: true, urgency: 2 } });
    expect(second?.[0]).toBeCloseTo(0.9, 12);
    expect(third?.[2]).toBeCloseTo(0.9, 12);
  });

  it("gives the wanted answer whatever the readout", async () => {
    const readout = { orders: 2, prior: true } as const;
    const [first] = await probabilitiesOf({ answers: { team: [0.6, 0.3, 0.1] } }, { readout });
    expect(first).toEqual([expect.closeTo(0.6, 9), expect.closeTo(0.3, 9), expect.closeTo(0.1, 9)]);
  });

  it("answers what is not named from state and question: the same again, and differently for others", async () => {
    const first = await probabilitiesOf({});
    expect(await probabilitiesOf({})).toEqual(first);
    const other = await probabilitiesOf({}, { state: { kind: "text", text: "Hello!" } });
    expect(other[0]).not.toEqual(first[0]);
    expect(new Set(first[0]).size).toBe(3);
  });

  it("spreads unnamed answers over all options", async () => {
    const winners = new Set<number>();
    for (let index = 0; index < 50; index++) {
      const [first = []] = await probabilitiesOf({}, { state: { kind: "text", text: `ticket ${index}` } });
      winners.add(first.indexOf(Math.max(...first)));
    }
    expect(winners).toEqual(new Set([0, 1, 2]));
  });

  it.each<[FakeAnswerRule, string]>([
    ["sales", 'is "sales", which is none of the options billing, technical, other'],
    [{ billing: 1 }, 'does not name the option "technical"'],
    [{ billing: 1, technical: 0, other: 0, sales: 0 }, 'names "sales"'],
    [[0.5, 0.5], "has 2 probabilities for 3 options"],
    [[0.5, 0.5, 0.5], "sum to 1.5, not 1"],
    [[1.5, -0.5, 0], "has the probability 1.5"],
    [[Number.NaN, 0.5, 0.5], "has the probability NaN"],
  ])("refuses the answer %j, which does not fit the question", async (answer, message) => {
    await expect(probabilitiesOf({ answers: { team: answer } })).rejects.toMatchObject({
      code: "invalid_setting",
      message: expect.stringContaining(message),
    });
  });

  it("records requests and counts calls and starts", async () => {
    const source = fake({ failWith: (number) => (number === 1 ? "out_of_memory" : undefined) });
    const engine = await source.start({});
    const asked = request();
    await expect(engine.decide(asked, call())).rejects.toThrow(codeOf("out_of_memory"));
    await engine.decide(request(), call());
    expect(source.calls).toBe(2);
    expect(source.requests[0]).toBe(asked);
    expect(source.starts).toBe(1);
  });

  it.each(Object.keys(errorHints) as (keyof typeof errorHints)[])("can fail with %s", async (code) => {
    const engine = await fake({ failWith: code }).start({});
    const error = await engine.decide(request(), call()).catch((reason: unknown) => reason);
    expect(OptioError.isInstance(error, code)).toBe(true);
  });

  it("can fail to start, and does not start when aborted", async () => {
    await expect(fake({ failStartWith: "engine_start_failed" }).start({})).rejects.toThrow(
      codeOf("engine_start_failed"),
    );
    await expect(fake().start({ signal: AbortSignal.abort("stop") })).rejects.toBe("stop");
  });

  it("takes the time that it is told, but ends at once on abort, deadline and close", async () => {
    const slow = await fake({ delayMs: 60_000 }).start({});
    const began = performance.now();
    const controller = new AbortController();
    const aborted = slow.decide(request(), call({ signal: controller.signal }));
    controller.abort("stop");
    await expect(aborted).rejects.toBe("stop");
    await expect(slow.decide(request(), call({ timeoutMs: 5 }))).rejects.toThrow(codeOf("timeout"));
    const closed = slow.decide(request(), call());
    await Promise.all([expect(closed).rejects.toThrow(codeOf("engine_closed")), slow.close()]);
    expect(performance.now() - began).toBeLessThan(10_000);

    const brief = await fake({ delayMs: 20 }).start({});
    const start = performance.now();
    await brief.decide(request(), call());
    expect(performance.now() - start).toBeGreaterThan(15);
  });

  it("refuses a delay that is not a time", () => {
    for (const delayMs of [-1, Number.NaN]) expect(() => fake({ delayMs })).toThrow(codeOf("invalid_setting"));
  });

  it("says what it was told to say about itself", async () => {
    const { info } = await fake({ info: { model: { id: "my-model" }, contextTokens: 100 } }).start({});
    expect(info).toMatchObject({ kind: "fake", backend: "hash", model: { id: "my-model" }, contextTokens: 100 });
  });

  it("serves a decider with typed answers", async () => {
    const decider = createDecider({ engine: fake({ answers: { team: "other", angry: false } }) });
    const { answers } = await decider.decide({ state: "Hello", questions: { team, angry, urgency } });
    await decider.close();
    expect(answers.team.choice).toBe("other");
    expect(answers.angry.value).toBe(false);
    expect(answers.team.confidence).toBeCloseTo(0.85, 12);
  });
});
