import { describe, expect, it } from "vitest";
import { styleFor } from "../output/style.js";
import type { RowResult } from "./row-result.js";
import { summarize } from "./summary.js";
import { renderSummary } from "./summary-view.js";

function answered(line: number, family: string, correct: boolean, ms: number): RowResult {
  return {
    line,
    id: String(line),
    family,
    type: "noul",
    expected: "true",
    answer: String(correct),
    correct,
    distribution: [],
    confidence: correct ? 0.9 : 0.5,
    labelMass: correct ? 0.8 : 0.6,
    ms,
    inputTokens: 10,
    reusedTokens: 0,
  };
}
const error = { code: "timeout", message: "too slow", hint: "wait" };
const rows: RowResult[] = [
  answered(1, "policy", true, 100),
  answered(2, "intent", false, 300),
  answered(3, "policy", true, 200),
  { line: 4, id: "4", family: "intent", expected: "true", error },
  { line: 5, error },
];

describe("summarize", () => {
  it("counts failed rows as not right, and leaves unusable ones out", () => {
    const summary = summarize(rows);
    expect(summary).toMatchObject({ n: 4, correct: 2, accuracy: 0.5, failed: 1, unusable: 1 });
    expect(summary.families).toMatchObject([
      { family: "policy", n: 2, correct: 2, accuracy: 1 },
      { family: "intent", n: 2, correct: 0, accuracy: 0, interval: { low: 0 } },
    ]);
    expect(summary.interval?.low).toBeCloseTo(0.15, 2);
  });

  it("takes times, label mass and confidence over the answered rows", () => {
    const summary = summarize(rows);
    expect(summary.latency).toEqual({ n: 3, p50Ms: 200, p95Ms: 300, maxMs: 300 });
    expect(summary.labelMassMedian).toBe(0.8);
    expect(summary.meanConfidence).toBeCloseTo(2.3 / 3, 10);
  });

  it("has no figures for no rows", () => {
    expect(summarize([])).toEqual({
      n: 0,
      correct: 0,
      accuracy: null,
      interval: null,
      failed: 0,
      unusable: 0,
      families: [],
      latency: null,
      labelMassMedian: null,
      meanConfidence: null,
    });
  });
});

describe("renderSummary", () => {
  const style = styleFor({ isTerminal: false }, {});

  it("shows families, then all, then what went wrong", () => {
    expect(renderSummary(summarize(rows), style)).toEqual([
      "family  right  of  share  95 % interval",
      "policy      2   2  100 %    34 to 100 %",
      "intent      0   2    0 %      0 to 66 %",
      "in all      2   4   50 %     15 to 85 %",
      "",
      "time a row    p50 200 ms, slowest 300 ms",
      "confidence    77 % in the mean",
      "label mass    80 % in the median",
      "failed        1 row, counted as not right",
      "unusable      1 row of the data, not counted",
    ]);
  });

  it("gives p95 from 59 rows on", () => {
    const many = Array.from({ length: 59 }, (_, index) => answered(index + 1, "all", true, index + 1));
    expect(renderSummary(summarize(many), style)).toContain("time a row    p50 30 ms, p95 57 ms");
  });

  it("says so when there are no rows", () => {
    expect(renderSummary(summarize([]), style)).toEqual(["No rows were asked."]);
  });
});
