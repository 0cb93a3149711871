import { describe, expect, it, vi } from "vitest";
import { createDecider } from "../decider.js";
import type { EngineSource } from "../engines/engine.js";
import { type ErrorCode, OptioError } from "../errors.js";
import { noul } from "../questions/noul.js";
import { type FakeEngineSource, type FakeOptions, fake } from "../testing/fake.js";
import type { FallbackSettings, Transfer } from "./settings.js";

const questions = { angry: noul("Angry?") };
const state = "My bill is wrong.";
const sure = { answers: { angry: { true: 0.98, false: 0.02 } } };
const unsure = { answers: { angry: { true: 0.55, false: 0.45 } } };

/** A source that says that it sends states away; what is asked of it is what is asked of the fake. */
function away(source: FakeEngineSource, destination = "decisions.example"): EngineSource {
  return { kind: "remote", destination, start: (options) => source.start(options) };
}

function pair(first: FakeOptions, second: FakeOptions, fallback: FallbackSettings = {}) {
  const [near, far] = [fake(first), fake(second)];
  const decider = createDecider({ engines: [near, away(far)], fallback: { consent: true, ...fallback } });
  return { decider, near, far };
}

const attemptsOf = (decision: { receipt: { attempts: readonly object[] } }) =>
  decision.receipt.attempts.map((attempt) =>
    Object.values(attempt)
      .filter((value) => value !== null)
      .join(" "),
  );

describe("several engines", () => {
  it("asks only the first where it answers", async () => {
    const { decider, far } = pair(sure, sure);
    await using _ = decider;
    const decision = await decider.decide({ state, questions });
    expect(attemptsOf(decision)).toEqual(["fake answered"]);
    expect(far.starts).toBe(0);
  });

  it.each<[ErrorCode]>([
    ["engine_crashed"],
    ["engine_unavailable"],
    ["out_of_memory"],
    ["context_too_long"],
    ["overloaded"],
    ["low_label_mass"],
    ["timeout"],
  ])("passes a decision on after %s, and the receipt says so", async (code) => {
    const { decider, far } = pair({ failWith: code }, sure);
    await using _ = decider;
    const decision = await decider.decide({ state, questions });
    expect(attemptsOf(decision)).toEqual([`fake failed ${code}`, "remote decisions.example answered"]);
    expect(decision.answers.angry.noul).toBe(0.98);
    expect(far.calls).toBe(1);
  });

  it("passes a decision on when an engine does not start", async () => {
    const { decider } = pair({ failStartWith: "no_space" }, sure);
    await using _ = decider;
    expect(attemptsOf(await decider.decide({ state, questions }))[0]).toBe("fake failed no_space");
    expect((await decider.ready()).kind).toBe("fake");
  });

  it("asks nobody else about input that is wrong", async () => {
    const { decider, far } = pair({ failWith: "invalid_question" }, sure);
    await using _ = decider;
    await expect(decider.decide({ state, questions })).rejects.toMatchObject({ code: "invalid_question" });
    expect(far.calls).toBe(0);
  });

  it("says of all engines why none answered, by the code of the last failure", async () => {
    const { decider } = pair({ failWith: "engine_crashed" }, { failWith: "access_denied" });
    await using _ = decider;
    const error = await decider.decide({ state, questions }).catch(OptioError.from);
    expect(error).toMatchObject({ code: "access_denied", cause: expect.any(OptioError) });
    expect(String(error)).toMatch(/No engine answered\. The fake engine: .*; The remote engine: /u);
  });

  it("gives an engine up after its time, and finds it started at the next call", async () => {
    let release = () => {};
    const near = fake(sure);
    const slow: EngineSource = {
      kind: "wasm",
      start: async (options) => {
        await new Promise<void>((resolve) => (release = resolve));
        return near.start(options);
      },
    };
    await using decider = createDecider({ engines: [slow, fake(unsure)], fallback: { afterMs: 20 } });
    const first = await decider.decide({ state, questions });
    expect(attemptsOf(first)).toEqual(["wasm failed timeout", "fake answered"]);
    release();
    await vi.waitFor(async () => {
      expect(attemptsOf(await decider.decide({ state, questions }))).toEqual(["wasm answered"]);
    });
    expect(near.starts).toBe(1);
  });

  it("ends with the call, whichever engine is asked", async () => {
    const { decider } = pair({ failWith: "engine_crashed" }, { ...sure, delayMs: 60_000 });
    await using _ = decider;
    await expect(decider.decide({ state, questions, timeoutMs: 30 })).rejects.toMatchObject({ code: "timeout" });
    const controller = new AbortController();
    const pending = decider.decide({ state, questions, signal: controller.signal });
    controller.abort("enough");
    await expect(pending).rejects.toBe("enough");
  });
});

describe("fallback.escalateBelow", () => {
  it("asks the next engine as well, and takes the most confident answer", async () => {
    const { decider } = pair(unsure, sure, { escalateBelow: 0.5 });
    await using _ = decider;
    const decision = await decider.decide({ state, questions });
    expect(attemptsOf(decision)).toEqual(["fake unsure", "remote decisions.example answered"]);
    expect(decision.answers.angry.noul).toBe(0.98);
  });

  it("keeps the first answer where the others are less sure, or fail, and says that it did", async () => {
    const even = pair({ answers: { angry: { true: 0.7, false: 0.3 } } }, unsure, { escalateBelow: 0.9 });
    await using _ = even.decider;
    const decision = await even.decider.decide({ state, questions });
    expect(attemptsOf(decision)).toEqual(["fake answered", "remote decisions.example unsure"]);
    expect(decision.warnings).toEqual([]);

    const failing = pair(unsure, { failWith: "overloaded" }, { escalateBelow: 0.9 });
    await using __ = failing.decider;
    const kept = await failing.decider.decide({ state, questions });
    expect(attemptsOf(kept)).toEqual(["fake answered", "remote decisions.example failed overloaded"]);
    expect(kept.warnings.join()).toContain("No engine was sure");
  });
});

describe("what may leave this machine", () => {
  it("must be said before anything runs", () => {
    expect(() => createDecider({ engines: [fake(), away(fake())] })).toThrow(
      expect.objectContaining({ code: "invalid_setting", details: { field: "fallback.consent" } }),
    );
    // Whoever names a server first means it to be asked.
    createDecider({ engines: [away(fake()), fake()] });
  });

  it("nothing without consent, and the caller learns of it", async () => {
    const { decider, far } = pair({ failWith: "engine_crashed" }, sure, { consent: false });
    await using _ = decider;
    const error = await decider.decide({ state, questions }).catch(OptioError.from);
    expect(error).toMatchObject({ code: "engine_crashed" });
    expect(String(error)).toContain("passed over (consent)");
    expect(far.starts).toBe(0);
  });

  it("asks for consent with what would be sent, each time", async () => {
    const asked: Transfer[] = [];
    const consent = async (transfer: Transfer) => asked.push(transfer) === 1;
    const { decider } = pair({ failWith: "engine_crashed" }, sure, { consent });
    await using _ = decider;
    await decider.decide({ state, questions });
    await expect(decider.decide({ state, questions })).rejects.toMatchObject({ code: "engine_crashed" });
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatchObject({
      engine: "remote",
      destination: "decisions.example",
      state: { kind: "text", text: state },
      questions: [{ id: "angry" }],
    });
  });

  it("no more than the budget of an hour, and of a decision", async () => {
    const hourly = pair({ failWith: "engine_crashed" }, sure, { budget: { perHour: 1 } });
    await using _ = hourly.decider;
    await hourly.decider.decide({ state, questions });
    await expect(hourly.decider.decide({ state, questions })).rejects.toThrow("passed over (budget)");
    expect(hourly.far.calls).toBe(1);

    const [a, b] = [fake({ failWith: "overloaded" }), fake(sure)];
    await using once = createDecider({
      engines: [fake({ failWith: "engine_crashed" }), away(a, "a.example"), away(b, "b.example")],
      fallback: { consent: true, budget: { perDecision: 1 } },
    });
    await expect(once.decide({ state, questions })).rejects.toMatchObject({ code: "overloaded" });
    expect([a.calls, b.calls]).toEqual([1, 0]);
  });
});

describe("engines that are passed over", () => {
  it("on this machine, for states above a size", async () => {
    const { decider, near } = pair(sure, sure, { charactersAbove: 200 });
    await using _ = decider;
    expect(attemptsOf(await decider.decide({ state, questions }))).toEqual(["fake answered"]);
    const long = await decider.decide({ state: "x".repeat(200), questions });
    expect(attemptsOf(long)).toEqual(["fake skipped size", "remote decisions.example answered"]);
    expect(near.calls).toBe(1);
  });

  it("while decisions wait for them", async () => {
    const { decider } = pair({ ...sure, delayMs: 20 }, sure, { queueFrom: 1 });
    await using _ = decider;
    const decisions = await Promise.all([1, 2, 3].map(() => decider.decide({ state, questions })));
    expect(decisions.map((decision) => attemptsOf(decision)[0])).toEqual([
      "fake answered",
      "fake answered",
      "fake skipped queue",
    ]);
  });

  it("after failures in a row, until the cool-down is over", async () => {
    let broken = true;
    const failWith = () => (broken ? ("engine_crashed" as const) : undefined);
    const { decider, near } = pair({ ...sure, failWith }, sure, { breaker: { failures: 2, coolDownMs: 30 } });
    await using _ = decider;
    const firsts = [];
    for (let call = 0; call < 3; call++) firsts.push(attemptsOf(await decider.decide({ state, questions }))[0]);
    expect(firsts).toEqual(["fake failed engine_crashed", "fake failed engine_crashed", "fake skipped breaker"]);
    expect(near.calls).toBe(2);
    broken = false;
    await vi.waitFor(async () =>
      expect(attemptsOf(await decider.decide({ state, questions }))).toEqual(["fake answered"]),
    );
  });

  it("not for failures that lie in the request", async () => {
    const { decider, near } = pair({ failWith: "context_too_long" }, sure, { breaker: { failures: 1 } });
    await using _ = decider;
    for (let call = 0; call < 3; call++) await decider.decide({ state, questions });
    expect(near.calls).toBe(3);
  });
});

describe("decideMany with several engines", () => {
  it("passes on only the states that need it, and keeps the order", async () => {
    const near = fake({
      answers: {
        angry: (state) =>
          state.kind === "text" && state.text.includes("?") ? { true: 0.5, false: 0.5 } : { true: 0.75, false: 0.25 },
      },
    });
    const far = fake(sure);
    await using decider = createDecider({
      engines: [near, away(far)],
      fallback: { consent: true, escalateBelow: 0.5 },
    });
    const seen: number[] = [];
    const { results, usage } = await decider.decideMany({
      states: ["a", "b?", "", "c", "d?"],
      questions,
      onResult: (_, index) => seen.push(index),
    });
    expect(seen).toEqual([0, 1, 2, 3, 4]);
    expect(
      results.map((result) => (result.status === "fulfilled" ? result.value.answers.angry.noul : "rejected")),
    ).toEqual([0.75, 0.98, "rejected", 0.75, 0.98]);
    expect(far.requests.map(({ state }) => state)).toEqual([
      { kind: "text", text: "b?" },
      { kind: "text", text: "d?" },
    ]);
    const single = results[0]?.status === "fulfilled" ? results[0].value.usage.inputTokens : 0;
    expect(usage.inputTokens).toBeGreaterThan(single * 4);
  });

  it("passes all on when an engine fails as a whole", async () => {
    const { decider, far } = pair({ failStartWith: "model_invalid" }, sure);
    await using _ = decider;
    const { results } = await decider.decideMany({ states: ["a", "b"], questions });
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
    expect(far.calls).toBe(2);
  });

  it("rejects each state that nobody answered", async () => {
    const { decider } = pair({ failWith: "engine_crashed" }, { failWith: "overloaded" });
    await using _ = decider;
    const { results } = await decider.decideMany({ states: ["a", "b"], questions });
    for (const result of results) {
      expect(result).toMatchObject({ status: "rejected", reason: { code: "overloaded" } });
    }
  });
});

describe("options of several engines", () => {
  it.each([
    [{ engines: [] }, "engines"],
    [{ engine: fake(), engines: [fake()] }, "engine"],
    [{}, "engine"],
    [{ engines: [fake()], fallback: { escalateBelow: 2 } }, "fallback.escalateBelow"],
    [{ engines: [fake()], fallback: { consent: "yes" } }, "fallback.consent"],
    [{ engines: [fake()], fallback: { budget: { perHour: -1 } } }, "fallback.budget.perHour"],
    [{ engines: [fake(), 5] }, "engines.1"],
  ])("are checked: %j", (options, field) => {
    expect(() => createDecider(options as never)).toThrow(
      expect.objectContaining({ code: "invalid_setting", details: { field } }),
    );
  });
});
