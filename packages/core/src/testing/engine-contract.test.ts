import { describe, expect, it } from "vitest";
import type { DecisionRequest, Engine, EngineCallOptions, RawDecision } from "../engines/engine.js";
import { OptioError } from "../errors.js";
import { engineContract } from "./engine-contract.js";
import { fake } from "./fake.js";

describe("engineContract: fake", () => {
  for (const { name, check } of engineContract(() => fake().start({}))) it(name, check);
});

describe("engineContract: slow fake", () => {
  for (const { name, check } of engineContract(() => fake({ delayMs: 5 }).start({}))) it(name, check);
});

/** A sound engine with one fault. */
async function faulty(fault: (sound: Engine) => Partial<Engine>): Promise<Engine> {
  const sound = await fake().start({});
  const { decide, close } = fault(sound);
  return { info: sound.info, decide: decide ?? sound.decide.bind(sound), close: close ?? sound.close.bind(sound) };
}

const withDecision = (change: (decision: RawDecision) => RawDecision) => (sound: Engine) => ({
  decide: async (request: DecisionRequest, options: EngineCallOptions) => change(await sound.decide(request, options)),
});

const faults: Record<string, (sound: Engine) => Partial<Engine>> = {
  "forgets an answer": withDecision((decision) => ({ ...decision, questions: decision.questions.slice(1) })),
  "swaps answers": withDecision((decision) => ({ ...decision, questions: [...decision.questions].reverse() })),
  "returns no numbers": withDecision((decision) => ({
    ...decision,
    questions: decision.questions.map(({ passes }) => ({
      passes: passes.map((pass) => ({
        ...pass,
        reading: { kind: "letter", logits: pass.order.map(() => Number.NaN), logSumExp: 1 },
      })),
    })),
  })),
  "ignores the readout": (sound) => ({
    decide: (request, options) => sound.decide({ ...request, readout: {} }, options),
  }),
  "never repeats a number": withDecision((decision) => ({
    ...decision,
    questions: decision.questions.map(({ passes }) => ({
      passes: passes.map((pass) => ({
        ...pass,
        reading: { kind: "letter", logits: pass.order.map(() => Math.random()), logSumExp: 100 },
      })),
    })),
  })),
  "counts wrongly": withDecision((decision) => ({
    ...decision,
    usage: { ...decision.usage, evaluatedTokens: Number.NaN },
  })),
  "tells progress backwards": (sound) => ({
    decide: async (request, options) => {
      options.onProgress?.({ phase: "evaluate", evaluatedTokens: 9, totalTokens: 10 });
      options.onProgress?.({ phase: "evaluate", evaluatedTokens: 3, totalTokens: 10 });
      const { signal, timeoutMs } = options;
      return sound.decide(request, { signal, timeoutMs });
    },
  }),
  "ignores aborts": (sound) => ({
    decide: (request, options) => sound.decide(request, { ...options, signal: new AbortController().signal }),
  }),
  "rejects aborts with an error of its own": (sound) => ({
    decide: (request, options) =>
      sound.decide(request, options).catch((error: unknown) => {
        throw options.signal.aborted ? new OptioError("internal", "Aborted.") : error;
      }),
  }),
  "ignores deadlines": (sound) => ({
    decide: (request, options) => sound.decide(request, { ...options, timeoutMs: Number.POSITIVE_INFINITY }),
  }),
  "answers after it was closed": () => ({ close: async () => undefined }),
  "cannot be closed twice": (sound) => {
    let closed = false;
    return {
      close: async () => {
        if (closed) throw new OptioError("internal", "Closed already.");
        closed = true;
        await sound.close();
      },
    };
  },
};

describe("engineContract finds an engine that", () => {
  it.each(Object.entries(faults))("%s", async (_, fault) => {
    const outcomes = await Promise.allSettled(engineContract(() => faulty(fault)).map(({ check }) => check()));
    expect(outcomes.some(({ status }) => status === "rejected")).toBe(true);
  });
});

describe("gaps", () => {
  const make = () => fake().start({});

  it("leave a check out", () => {
    const [first] = engineContract(make);
    const rest = engineContract(make, { [first?.name ?? ""]: "the reason" });
    expect(rest).toHaveLength(engineContract(make).length - 1);
    expect(rest.map(({ name }) => name)).not.toContain(first?.name);
  });

  it("must name a check", () => {
    expect(() => engineContract(make, { "sings well": "no voice" })).toThrow('No check is called "sings well".');
  });
});
