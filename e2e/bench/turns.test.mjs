import { describe, expect, it } from "vitest";
import { takeTurns } from "./turns.mjs";

/** @type {import("./measures.mjs").Measure[]} */
const measures = [
  { id: "load", tier: "quick", title: "", about: "", unit: "ms" },
  { id: "short", tier: "quick", title: "", about: "", unit: "ms", work: { kind: "prefill", size: 100 }, tokens: 100 },
  { id: "long", tier: "quick", title: "", about: "", unit: "ms", work: { kind: "prefill", size: 2000 }, tokens: 2000 },
  { id: "memory", tier: "quick", title: "", about: "", unit: "bytes" },
];

/** A machine whose time passes only while a subject works. */
function machine() {
  let time = 0;
  /** @type {string[]} */
  const events = [];
  return {
    events,
    surroundings: {
      now: () => time,
      load: () => 0.5,
      quiet: async () => 0.1,
      others: async () => 0.25,
      log: () => undefined,
    },
    /**
     * @param {string} id
     * @param {{ msPerToken?: number, repetitions?: number, hangs?: boolean, fails?: boolean }} [options]
     * @returns {import("./turns.mjs").Subject}
     */
    subject(id, { msPerToken = 1, repetitions = 2, hangs = false, fails = false } = {}) {
      return {
        id,
        repetitions,
        start: async (file) => {
          events.push(`start ${id} ${file.id}`);
          if (fails) throw new Error("no such processor");
          return {
            facts: { backend: id },
            loadMs: 7,
            measure: (work) => {
              if (hangs) return new Promise(() => undefined);
              const tokens = work.size;
              time += tokens * msPerToken;
              return Promise.resolve({ value: tokens * msPerToken, tokens });
            },
            peakMemory: () => 1000,
            close: async () => void events.push(`close ${id}`),
          };
        },
      };
    },
  };
}

const files = [{ id: "file", path: "/file" }];
const unlimited = { limitMs: 1_000_000, budgetMs: Number.POSITIVE_INFINITY };

describe("takeTurns", () => {
  it("alternates the subjects, one at a time, and turns the order around each time", async () => {
    const { events, subject, surroundings } = machine();
    const subjects = [subject("a"), subject("b", { repetitions: 1 }), subject("c")];
    const { results, turns } = await takeTurns({ files, subjects, measures, ...unlimited }, surroundings);
    const order = ["a", "b", "c", "c", "a"];
    expect(turns.map((turn) => turn.subject)).toEqual(order);
    expect(events).toEqual(order.flatMap((id) => [`start ${id} file`, `close ${id}`]));
    expect(results.filter((result) => result.subject === "b")).toEqual([
      { subject: "b", file: "file", round: 0, measure: "load", value: 7 },
      { subject: "b", file: "file", round: 0, measure: "short", value: 100, tokens: 100 },
      { subject: "b", file: "file", round: 0, measure: "long", value: 2000, tokens: 2000 },
      { subject: "b", file: "file", round: 0, measure: "memory", value: 1000 },
    ]);
  });

  it("records around each turn how busy the machine is", async () => {
    const { subject, surroundings } = machine();
    const { turns } = await takeTurns({ files, subjects: [subject("a")], measures, ...unlimited }, surroundings);
    expect(turns[0]).toMatchObject({
      round: 0,
      loadBefore: 0.5,
      loadAfter: 0.5,
      othersBefore: 0.1,
      othersAfter: 0.25,
    });
  });

  it("skips what would take longer than the limit, and says so once", async () => {
    const { subject, surroundings } = machine();
    const plan = { files, subjects: [subject("slow", { msPerToken: 10 })], measures, ...unlimited, limitMs: 15_000 };
    const { results, skipped } = await takeTurns(plan, surroundings);
    expect(skipped).toEqual([
      {
        subject: "slow",
        file: "file",
        measure: "long",
        reason: "it would take about 20 s, over the limit of 15 s",
      },
    ]);
    expect(results.map(({ measure }) => measure)).toEqual(["load", "short", "memory", "load", "short", "memory"]);
  });

  it("ends what hangs, and does not ask it again", async () => {
    const { events, subject, surroundings } = machine();
    const plan = { files, subjects: [subject("a", { hangs: true })], measures, ...unlimited, limitMs: 20 };
    const { skipped } = await takeTurns({ ...plan, measures: measures.slice(0, 2) }, surroundings);
    expect(skipped.map(({ measure, reason }) => [measure, reason])).toEqual([["short", "over the limit of 0.02 s"]]);
    expect(events.filter((event) => event.startsWith("close"))).toHaveLength(2);
  });

  it("goes on with the others where one does not start", async () => {
    const { subject, surroundings } = machine();
    const subjects = [subject("a", { fails: true }), subject("b")];
    const { skipped, turns, results } = await takeTurns({ files, subjects, measures, ...unlimited }, surroundings);
    expect(skipped).toEqual([{ subject: "a", file: "file", reason: "it did not start: no such processor" }]);
    expect(turns.filter((turn) => turn.subject === "a")).toHaveLength(1);
    expect(new Set(results.map((result) => result.subject))).toEqual(new Set(["b"]));
  });

  it("begins no turn after the budget, and says which repetition is missing", async () => {
    const { subject, surroundings } = machine();
    const plan = { files, subjects: [subject("a"), subject("b")], measures, limitMs: 1_000_000, budgetMs: 3000 };
    const { skipped, turns } = await takeTurns(plan, surroundings);
    expect(turns.map((turn) => turn.subject)).toEqual(["a", "b"]);
    expect(skipped.map((entry) => entry.reason)).toEqual([
      "the run's 0.05 minutes were over before repetition 2",
      "the run's 0.05 minutes were over before repetition 2",
    ]);
  });
});
