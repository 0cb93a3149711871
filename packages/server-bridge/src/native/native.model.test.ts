import { builtInProfile, choice, createDecider, createModelStore, noul } from "@optio/core";
import { engineContract } from "@optio/core/testing";
import { describe, expect, it } from "vitest";
import { native } from "../../dist/index.js";
import { findNativeProgram } from "../../dist/native/native-program.js";
import { startNativeScorer } from "../../dist/native/native-scorer.js";
import { ScorerProcess } from "../../dist/native/scorer-process.js";

const model = "smollm2-135m-instruct";

describe("native engine", () => {
  for (const { name, check } of engineContract(() => native({ model, threads: 2 }).start({}))) it(name, check);

  it("stops within 100 ms of an abort in the middle of a long text, and goes on afterwards", async () => {
    await using decider = createDecider({ engine: native({ model, threads: 2 }) });
    const controller = new AbortController();
    const outcome = decider.decide({
      state: "The quick brown fox jumps over the lazy dog. ".repeat(120),
      questions: { ok: noul("Is it about a fox?") },
      signal: controller.signal,
      onProgress: (progress) => {
        if (progress.phase === "evaluate") controller.abort("enough");
      },
    });
    await expect(outcome).rejects.toBe("enough");
    const { timings } = await decider.decide({ state: "Short.", questions: { ok: noul("Is it short?") } });
    expect(timings.queueMs).toBeLessThan(250);
  });
});

/** Batches are added up in another order, which moves log-probabilities of this model's 4-bit weights by up to this much. */
const batchToleranceNats = 0.4;

describe("many states with the native engine", () => {
  const questions = { team: choice("Which team?", { billing: "Invoices and refunds", technical: "Bugs and outages" }) };
  const states = ["I was charged twice.", "Every export fails.", "word ".repeat(3_000), "Refund me, please."];
  const readout = { kind: "letter", orders: 2, prior: false } as const;

  it("evaluates a question that comes first once, and gives what decide gives but for rounding", async () => {
    const profile = builtInProfile("question-first");
    await using decider = createDecider({ engine: native({ model, threads: 2, profile }) });
    const { results, usage } = await decider.decideMany({ states, questions, readout });
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
    expect(results[2]).toMatchObject({ reason: { code: "context_too_long" } });
    expect(usage.reusedTokens).toBeGreaterThan(50);
    for (const [index, state] of states.entries()) {
      const result = results[index];
      if (result?.status !== "fulfilled") continue;
      const alone = await decider.decide({ state, questions, readout, reuse: false });
      const difference = Math.log(
        result.value.answers.team.probabilities.billing / alone.answers.team.probabilities.billing,
      );
      expect(Math.abs(difference)).toBeLessThan(batchToleranceNats);
    }
  });
});

describe("the native program's process", () => {
  const program = findNativeProgram();
  const load = async () => {
    const { file } = await createModelStore().get(model);
    if (file.kind !== "path") throw expect.fail("the fixture is not a file");
    return { path: file.path, threads: 2, contextTokens: 1_024 };
  };
  const plan = {
    nodes: [
      {
        parent: -1,
        tokens: Int32Array.from({ length: 900 }, (_, at) => 1_000 + at),
        reads: [{ at: 899, ids: Int32Array.of(5) }],
      },
    ],
  };

  it("rejects every pending call when it is closed during one, and can be closed twice", async () => {
    const scorer = await startNativeScorer({ program, load: await load() });
    const running = expect(scorer.score(plan)).rejects.toMatchObject({ code: "engine_closed" });
    setTimeout(() => void scorer.close(), 50);
    await running;
    await scorer.close();
    await expect(scorer.forget()).rejects.toMatchObject({ code: "engine_closed" });
  });

  it("says what is wrong when the model is none", async () => {
    const missing = { ...(await load()), path: "/no/such/model.gguf" };
    await expect(startNativeScorer({ program, load: missing })).rejects.toMatchObject({
      code: expect.stringMatching(/^model_/),
    });
  });

  it("says what is wrong when the program cannot be started", async () => {
    const child = new ScorerProcess("/no/such/program", process.env);
    await expect(child.call(1, new Uint8Array(12))).rejects.toMatchObject({ code: "engine_start_failed" });
    await expect(child.call(2, new Uint8Array(12))).rejects.toMatchObject({ code: "engine_start_failed" });
  });

  it("fails, and does not hang, when the program answers with something else", async () => {
    const talker = { path: "/bin/cat", environment: process.env };
    await expect(startNativeScorer({ program: talker, load: await load() })).rejects.toMatchObject({
      code: "protocol_mismatch",
    });
  });
});
