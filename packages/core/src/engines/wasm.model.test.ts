import {
  choice,
  createDecider,
  createModelStore,
  detectFeatures,
  hasRelaxedSimd,
  hasThreads,
  noul,
  score,
  wasm,
  wasmVariants,
} from "@optio/core";
import type { DecisionRequest, Engine } from "@optio/core/engines";
import { engineContract } from "@optio/core/testing";
import { afterAll, describe, expect, it } from "vitest";

/** The built library on the real tiny model, in worker threads. */
const model = "smollm2-135m-instruct";
const { relaxedSimd } = detectFeatures(2);
const variants = wasmVariants
  .filter((variant) => relaxedSimd || !hasRelaxedSimd(variant))
  .map((variant) => ({ variant, ...(hasThreads(variant) ? { threads: 2 } : {}) }));

/**
 * Most that log-probabilities with and without relaxed SIMD may differ, root mean square, in nats. Relaxed SIMD does not round a product
 * before it is added; activations have 8 bits, so that a last bit more or less ends as a step of one in 127, as it does between
 * the module and the native program.
 */
const rmsNats = 0.1;

const questions = {
  team: choice("Which team should handle this ticket?", {
    billing: "Invoices and refunds",
    technical: "Bugs and outages",
  }),
  angry: noul("Is the customer angry?"),
  urgency: score("How urgent is it?", ["can wait", "this week", "now"]),
};
const state = "I was charged twice this month and nobody answers my emails. I want my money back today!";

describe.each(variants)("wasm engine, $variant", (options) => {
  const start = () => wasm({ ...options, model }).start({});

  for (const { name, check } of engineContract(start)) it(name, check);

  it("names itself, the model and its hash", async () => {
    const engine = await start();
    const stored = await createModelStore().get(model);
    expect(engine.info).toMatchObject({
      kind: "wasm",
      backend: options.variant,
      model: { id: model, sha256: stored.sha256, quantization: "Q4_1" },
      scorer: { target: "wasm", llamaRelease: "b11434" },
    });
    await engine.close();
  });
});

describe("a decider on the wasm engine", () => {
  const decider = createDecider({ engine: wasm({ model, threads: 2 }), policy: { accept: 0.9, review: 0.5 } });
  afterAll(() => decider.close());

  it("answers with distributions, an action and a receipt", async () => {
    const { answers, usage, receipt } = await decider.decide({ state, questions });
    for (const answer of Object.values(answers)) {
      expect(answer.distribution.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 9);
      expect(answer.action).toMatch(/^(accept|review|escalate)$/);
      expect(answer.labelMass).toBeGreaterThan(0);
    }
    expect(usage.inputTokens).toBe(usage.evaluatedTokens + usage.reusedTokens);
    expect(receipt).toMatchObject({
      engine: { kind: "wasm", backend: relaxedSimd ? "relaxed-simd-threads" : "simd-threads", threads: 2 },
      profile: { id: "state-first" },
    });
  });

  it("does not evaluate a state again that the last call left, and gives the same numbers", async () => {
    const first = await decider.decide({ state, questions });
    const second = await decider.decide({ state, questions });
    expect(second.usage.reusedTokens).toBeGreaterThan(40);
    expect(second.usage.reusedPriors).toBe(3);
    expect(second.answers.team.probabilities.billing).toBeCloseTo(first.answers.team.probabilities.billing, 2);
  });

  it("gives exactly the same numbers twice without reuse", async () => {
    const strict = () => decider.decide({ state, questions, reuse: false });
    const [first, second] = [await strict(), await strict()];
    expect(second.answers).toEqual(first.answers);
    expect(second.usage).toMatchObject({ reusedTokens: 0, reusedPriors: 0 });
  });

  it("stops within 100 ms of an abort in the middle of a long text, and goes on afterwards", async () => {
    const controller = new AbortController();
    const long = "The quick brown fox jumps over the lazy dog. ".repeat(120);
    let abortedAt = 0;
    const outcome = decider.decide({
      state: long,
      questions: { angry: questions.angry },
      signal: controller.signal,
      onProgress: (progress) => {
        if (progress.phase !== "evaluate" || abortedAt > 0) return;
        abortedAt = performance.now();
        controller.abort("enough");
      },
    });
    await expect(outcome).rejects.toBe("enough");
    const next = decider.decide({ state: "Short.", questions: { angry: questions.angry } });
    const { timings } = await next;
    // The next call waits for the worker: its waiting time tells when the work really ended.
    expect(timings.queueMs).toBeLessThan(250);
  });

  it("ends with a time-out that is its own", async () => {
    const long = "The quick brown fox jumps over the lazy dog. ".repeat(120);
    await expect(decider.decide({ state: long, questions, timeoutMs: 300 })).rejects.toMatchObject({ code: "timeout" });
  });

  it("says by how many tokens a text is too long", async () => {
    const tooLong = "word ".repeat(3_000);
    await expect(decider.decide({ state: tooLong, questions })).rejects.toMatchObject({
      code: "context_too_long",
      details: { available: 2048 },
    });
  });
});

describe("the builds", () => {
  const request: DecisionRequest = {
    state: { kind: "text", text: state },
    questions: Object.entries(questions).map(([id, question]) => ({ id, question })),
    readout: { kind: "letter", orders: 2, prior: false },
    reuse: false,
  };

  async function logProbs(options: (typeof variants)[number]): Promise<readonly number[]> {
    const engine: Engine = await wasm({ ...options, model }).start({});
    const raw = await engine.decide(request, { signal: new AbortController().signal, timeoutMs: 120_000 });
    await engine.close();
    return raw.questions.flatMap(({ passes }) =>
      passes.flatMap(({ reading }) =>
        reading.kind === "letter" ? reading.logits.map((x) => x - reading.logSumExp) : [],
      ),
    );
  }

  it("give the same numbers on one thread and on two, and with relaxed SIMD nearly the same", async () => {
    const found = new Map<string, readonly number[]>();
    for (const options of variants) found.set(options.variant, await logProbs(options));
    const simd = found.get("simd") ?? [];
    expect(simd).toHaveLength(2 * (2 + 2 + 3));
    expect(found.get("simd-threads")).toEqual(simd);

    const relaxed = found.get("relaxed-simd");
    expect(found.get("relaxed-simd-threads")).toEqual(relaxed);
    if (relaxed === undefined) return;
    const squares = relaxed.reduce((sum, value, index) => sum + (value - (simd[index] ?? Number.NaN)) ** 2, 0);
    const rms = Math.sqrt(squares / simd.length);
    console.log(`relaxed SIMD against SIMD: RMS ${rms.toFixed(4)} nats`);
    expect(rms).toBeLessThan(rmsNats);
  });
});
