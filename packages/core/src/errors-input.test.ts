import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createDecider, type DecideRequest, type DeciderOptions } from "./decider.js";
import type { Engine, EngineSource, RawDecision } from "./engines/engine.js";
import { type WasmOptions, wasm } from "./engines/wasm.js";
import { OptioError } from "./errors.js";
import { builtInProfile } from "./prompt/profile.js";
import { choice } from "./questions/choice.js";
import type { QuestionsInput } from "./questions/normalize.js";
import { noul } from "./questions/noul.js";
import { score } from "./questions/score.js";
import { fake } from "./testing/fake.js";

// Whatever is wrong, the caller learns what to do about it.
const hint = expect.stringMatching(/^[`A-Z].{15,}[.)]$/u);
const questions = { angry: noul("Angry?") };
const state = "My bill is wrong.";

/** Asks as a caller without types may: none of these requests passes the compiler. */
async function refusal(request: unknown): Promise<OptioError> {
  const engine = fake();
  await using decider = createDecider({ engine });
  const outcome = await decider.decide(request as DecideRequest<QuestionsInput>).catch((error: unknown) => error);
  expect(engine.starts, "the engine was started").toBe(0);
  if (!OptioError.isInstance(outcome)) throw expect.fail(`no OptioError: ${String(outcome)}`);
  expect(outcome.message).not.toBe("");
  return outcome;
}

describe("input that is refused before the engine starts", () => {
  const circular: unknown[] = [];
  circular.push(circular);
  let deep: unknown = "bottom";
  for (let level = 0; level < 20_000; level += 1) deep = { deep };
  const throwing = {
    get text() {
      throw new Error("no");
    },
  };
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();

  it.each([
    ["contains itself", circular],
    ["is nested too deeply", deep],
    ["throws", throwing],
    ["is revoked", revoked.proxy],
  ])("a state and questions whose value %s", async (_, bad) => {
    expect(await refusal({ state: bad, questions })).toMatchObject({ code: "invalid_state", hint });
    expect(await refusal({ state: { bad }, questions })).toMatchObject({ code: "invalid_state", hint });
    expect(await refusal({ state, questions: { q: bad } })).toMatchObject({
      code: expect.stringMatching(/^invalid_(question|options|schema)$/),
      hint,
    });
  });

  it.each([[""], [" \n"], [null], [undefined], [{}], [[]], [{ at: 1n }], [new Date(0)]])(
    "the state %o",
    async (bad) => {
      expect(await refusal({ state: bad, questions })).toMatchObject({ code: "invalid_state", hint });
    },
  );

  it.each([
    ["no questions", {}],
    ["a list", [noul("Angry?")]],
    ["blank instructions", { angry: { type: "noul", instructions: " " } }],
    ["an unknown type", { angry: { type: "rank", criteria: ["a", "b"] } }],
  ])("%s", async (_, bad) => {
    expect(await refusal({ state, questions: bad })).toMatchObject({ code: "invalid_question", hint });
  });

  it.each([
    ["one option", { type: "choice", criteria: { billing: null } }],
    ["a blank option", { type: "choice", criteria: { billing: null, " ": null } }],
    ["eleven levels", { type: "score", criteria: Array.from({ length: 11 }, (_, level) => `level ${level}`) }],
  ])("%s", async (_, bad) => {
    expect(await refusal({ state, questions: { q: bad } })).toMatchObject({ code: "invalid_options", hint });
  });

  it("builders refuse the same", () => {
    const invalid = expect.objectContaining({ code: "invalid_options", hint });
    expect(() => choice("Which?", ["a", "a"])).toThrow(invalid);
    expect(() => score("How?", ["only one"])).toThrow(invalid);
  });

  it("options whose order JavaScript has changed", async () => {
    const pages = { type: "choice", criteria: { "a lot": "Many", "10": "Ten" } };
    expect(await refusal({ state, questions: { pages } })).toMatchObject({ code: "ambiguous_option_order", hint });
  });

  it.each([
    ["free text", z.object({ q: z.string() })],
    ["a number", z.object({ q: z.number() })],
    ["no field", z.object({})],
    ["no object", z.enum(["a", "b"])],
  ])("a schema of %s", async (_, schema) => {
    expect(await refusal({ state, questions: schema })).toMatchObject({ code: "invalid_schema", hint });
  });

  it.each([
    [{ timeoutMs: 0 }],
    [{ minLabelMass: 1.5 }],
    [{ confidence: "best" }],
    [{ policy: { accept: 0.5, review: 0.9 } }],
    [{ timeoutMs: "1" }],
    [{ timeoutMs: Number.NaN }],
    [{ timeoutMS: 1_000 }],
    [{ signal: "stop" }],
    [{ signal: {} }],
    [{ minLabelMass: null }],
    [{ minLabelMass: "0.5" }],
    [{ readout: "letter" }],
    [{ readout: { kind: "word" } }],
    [{ readout: { orders: 3 } }],
    [{ readout: { order: 2 } }],
    [{ readout: { prior: 1 } }],
    [{ reuse: "no" }],
    [{ onProgress: true }],
  ])("the settings %o", async (bad) => {
    expect(await refusal({ state, questions, ...bad })).toMatchObject({ code: "invalid_setting", hint });
  });
});

describe("options of what is created", () => {
  const invalid = expect.objectContaining({ code: "invalid_setting", hint });
  const deciding = (options: unknown) => () => createDecider(options as DeciderOptions);

  it.each([
    [undefined],
    [{}],
    [{ engine: "wasm" }],
    [{ engine: {} }],
    [{ engine: fake(), maxQueue: -1 }],
    [{ engine: fake(), maxQueue: 1.5 }],
    [{ engine: fake(), timeoutMs: 0 }],
    [{ engine: fake(), polisy: { accept: 0.9, review: 0.5 } }],
    [{ engine: fake(), policy: { accept: 2, review: 0 } }],
  ])("a decider of %o", (options) => {
    expect(deciding(options)).toThrow(invalid);
  });

  it.each([
    [null],
    [{ variant: "nope" }],
    [{ threads: 0 }],
    [{ threads: 1.5 }],
    [{ contextTokens: -5 }],
    [{ batchTokens: 1 }],
    [{ profile: {} }],
    [{ model: 7 }],
    [{ store: {} }],
    [{ assets: { wasm: 1 } }],
    [{ worker: 1 }],
    [{ thraeds: 2 }],
  ])("the wasm engine of %o", (options) => {
    expect(() => wasm(options as unknown as WasmOptions)).toThrow(invalid);
  });

  it("leaves what is right alone", async () => {
    const decider = createDecider({ engine: fake(), maxQueue: 0, timeoutMs: 1_000, minLabelMass: 0 });
    const request = {
      state,
      questions,
      reuse: false,
      readout: { orders: 1 },
      signal: new AbortController().signal,
    } as const;
    await expect(decider.decide(request)).resolves.toHaveProperty("answers.angry");
    await decider.close();
    expect(
      wasm({ threads: 2, variant: "simd-threads", contextTokens: 512, profile: builtInProfile("state-first") }).kind,
    ).toBe("wasm");
  });
});

describe("any value at all", () => {
  it("is taken or refused with an error of ours", async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything(), fc.anything(), fc.anything(), async (a, b, c) => {
        await using decider = createDecider({ engine: fake() });
        for (const request of [
          a,
          { state: a, questions: b },
          { state, questions: { q: b } },
          { state, questions, readout: c },
          { state, questions, policy: c },
        ]) {
          const outcome = await decider
            .decide(request as DecideRequest<QuestionsInput>)
            .catch((error: unknown) => error);
          if (outcome instanceof Error) expect(OptioError.isInstance(outcome), String(outcome.stack)).toBe(true);
        }
        for (const make of [
          () => createDecider(a as DeciderOptions),
          () => wasm(a as WasmOptions),
          () => choice(a as string, b as string[]),
        ]) {
          try {
            make();
          } catch (error) {
            expect(OptioError.isInstance(error), String(error)).toBe(true);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("a decider", () => {
  it("refuses what does not fit into its queue, ends late calls and calls after its end", async () => {
    const decider = createDecider({ engine: fake({ delayMs: 1_000 }), maxQueue: 1 });
    const running = decider.decide({ state, questions });
    const waiting = decider.decide({ state, questions, timeoutMs: 20 });
    const closed = expect(running).rejects.toMatchObject({ code: "engine_closed", hint });
    await expect(decider.decide({ state, questions })).rejects.toMatchObject({ code: "queue_full", hint });
    await expect(waiting).rejects.toMatchObject({ code: "timeout", hint, details: { timeoutMs: 20 } });
    await decider.close();
    await closed;
    await expect(decider.decide({ state, questions })).rejects.toMatchObject({ code: "engine_closed", hint });
  });
});

/** An engine of somebody else's that answers with whatever a test wants. */
function answering(change: (raw: RawDecision) => RawDecision): EngineSource {
  const source = fake({ info: { defaultReadout: { kind: "letter", orders: 1, prior: false, length: "total" } } });
  return {
    kind: "remote",
    start: async (options): Promise<Engine> => {
      const engine = await source.start(options);
      return {
        info: engine.info,
        close: () => engine.close(),
        decide: async (request, call) => change(await engine.decide(request, call)),
      };
    },
  };
}

const reading = (logits: readonly number[], logSumExp: number) =>
  answering((raw) => ({
    ...raw,
    questions: [{ passes: [{ order: [0, 1], state: "actual", reading: { kind: "letter", logits, logSumExp } }] }],
  }));

describe("an engine's answer that makes no sense", () => {
  const outcome = async (engine: EngineSource, minLabelMass = 0) => {
    await using decider = createDecider({ engine, minLabelMass });
    return await decider.decide({ state, questions }).catch((error: unknown) => error);
  };

  it.each([Number.NaN, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY])("the logit %d", async (bad) => {
    expect(await outcome(reading([1, bad], 3))).toMatchObject({ code: "non_finite_scores", hint });
    expect(await outcome(reading([1, 2], bad))).toMatchObject({ code: "non_finite_scores", hint });
  });

  it("the same logit for all options", async () => {
    expect(await outcome(reading([1, 1], 3))).toMatchObject({ code: "degenerate_scores", hint });
  });

  it("labels with more probability than there is, no pass, no answer", async () => {
    const without = answering((raw) => ({ ...raw, questions: [] }));
    const passless = answering((raw) => ({ ...raw, questions: [{ passes: [] }] }));
    for (const engine of [reading([1, 2], 0), without, passless]) {
      expect(await outcome(engine)).toMatchObject({ code: "invalid_distribution", hint });
    }
  });

  it("options that the model hardly thought of, where the caller asks for more", async () => {
    const elsewhere = reading([0, 1], 8);
    expect(await outcome(elsewhere, 0.25)).toMatchObject({
      code: "low_label_mass",
      hint,
      details: { question: "angry", minLabelMass: 0.25, labelMass: expect.closeTo((1 + Math.E) / Math.exp(8), 9) },
    });
    // Unasked it is a warning.
    expect(await outcome(elsewhere)).toMatchObject({ warnings: [expect.stringContaining("angry")] });
  });
});
