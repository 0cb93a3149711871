import { describe, expect, it } from "vitest";
import { baselinesOf, ratiosOf, summarizeSamples } from "./report.mjs";
import { describeSubjects } from "./subjects.mjs";
import { aboutMeasure, measurePanels, measureTable, ratioTable, skippedLines } from "./tables.mjs";
import { variantsOf } from "./variants.mjs";

const size = { bytes: 10, brotliBytes: 5 };
const manifest = {
  files: {
    "scorer.simd.mjs": size,
    "scorer.simd.wasm": size,
    "scorer.relaxed-simd-threads.wasm": size,
    "scorer.relaxed-simd-threads.worker.mjs": size,
    "scorer.simd-threads.wasm": size,
    "scorer.simd-threads.worker.mjs": size,
    "scorer.relaxed-simd.wasm": size,
  },
};
const subjects = describeSubjects(variantsOf(manifest), 2);
const idsOf = (/** @type {readonly { id: string }[]} */ entries) => entries.map(({ id }) => id);

describe("variantsOf", () => {
  it("finds the builds that there are, and which of them have threads", () => {
    expect(variantsOf(manifest).map(({ id, threads }) => [id, threads])).toEqual([
      ["simd-threads", true],
      ["relaxed-simd-threads", true],
      ["simd", false],
      ["relaxed-simd", false],
    ]);
  });
});

describe("describeSubjects", () => {
  it("measures each build in Chromium, and one of them in Node unless everything is asked for", () => {
    const quick = idsOf(subjects.filter(({ tier }) => tier === "quick"));
    expect(quick.slice(0, 5)).toEqual([
      "chromium-simd-threads",
      "chromium-relaxed-simd-threads",
      "chromium-simd",
      "chromium-relaxed-simd",
      "node-simd-threads",
    ]);
  });
});

describe("baselinesOf", () => {
  const of = (/** @type {string} */ id) => {
    const subject = subjects.find((entry) => entry.id === id);
    return subject && idsOf(baselinesOf(subject, subjects));
  };
  it("sets our own against those with as many threads", () => {
    expect(of("chromium-simd-threads")).toEqual(["native", "wllama"]);
    expect(of("native")).toEqual(["llama-server", "llama-server-uncached", "node-llama-cpp"]);
    expect(of("native-1")).toEqual([]);
  });
  it("sets a build without threads also against itself with them", () => {
    expect(of("chromium-relaxed-simd")).toEqual(["native-1", "wllama-1", "chromium-relaxed-simd-threads"]);
  });
  it("sets peers against nothing", () => {
    expect(of("wllama")).toEqual([]);
  });
});

const sample = (/** @type {string} */ subject, /** @type {number} */ value) => ({
  subject,
  file: "small",
  measure: "prefill-500",
  round: 0,
  value,
  tokens: 500,
});
const summary = summarizeSamples([
  sample("chromium-simd-threads", 1500),
  sample("wllama", 14_000),
  sample("chromium-simd-threads", 1400),
  sample("chromium-simd-threads", 1900),
  sample("native", 750),
]);

describe("summarizeSamples", () => {
  it("makes one entry of a subject's samples", () => {
    expect(summary[0]).toEqual({
      subject: "chromium-simd-threads",
      file: "small",
      measure: "prefill-500",
      tokens: 500,
      median: 1500,
      least: 1400,
      most: 1900,
      samples: 3,
    });
  });
});

describe("ratiosOf", () => {
  it("divides medians where both were measured", () => {
    expect(ratiosOf(subjects, summary).map(({ subject, baseline, ratio }) => [subject, baseline, ratio])).toEqual([
      ["chromium-simd-threads", "native", 2],
      ["chromium-simd-threads", "wllama", 1500 / 14_000],
    ]);
  });
});

describe("tables", () => {
  const measure = {
    id: "prefill-500",
    title: "Reading about 500 tokens",
    about: "",
    unit: /** @type {const} */ ("ms"),
  };
  const report = /** @type {import("./report.mjs").Report} */ (
    /** @type {unknown} */ ({
      subjects,
      files: [
        { id: "small", title: "Small" },
        { id: "large", title: "Large" },
      ],
      measures: [measure],
      summary,
      ratios: ratiosOf(subjects, summary),
      skipped: [
        { subject: "wllama", file: "small", measure: "prefill-500", reason: "over the limit of 90 s" },
        { file: "large", reason: "not downloaded" },
      ],
    })
  );
  it("show medians with their range, of what was measured only", () => {
    expect(measureTable(report, measure)).toEqual({
      head: ["", "Small"],
      rows: [
        ["optio, Chromium, simd-threads, 2 threads", "1.50 s (1.40 s to 1.90 s)"],
        ["optio, native program, 2 threads", "750 ms (once)"],
        ["wllama, Chromium, 2 threads", "14.0 s (once)"],
      ],
    });
    expect(measureTable(report, { ...measure, id: "load" })).toBeUndefined();
  });
  it("say how many tokens were evaluated", () => {
    expect(aboutMeasure(report, { ...measure, about: "By the engine's clock." })).toBe(
      "By the engine's clock. Evaluated: 500 tokens.",
    );
    expect(aboutMeasure(report, { ...measure, id: "load" })).toBe("");
  });
  it("show ratios", () => {
    expect(ratioTable(report, measure)?.rows).toEqual([
      ["optio, Chromium, simd-threads, 2 threads", "optio, native program, 2 threads", "2.00 ×"],
      ["optio, Chromium, simd-threads, 2 threads", "wllama, Chromium, 2 threads", "0.11 ×"],
    ]);
  });
  it("become bars, ours and others told apart", () => {
    const [panel] = measurePanels(report, measure);
    expect(panel?.bars.map(({ own, text }) => [own, text])).toEqual([
      [true, "1.50 s"],
      [true, "750 ms"],
      [false, "14.0 s"],
    ]);
  });
  it("say what is missing in titles", () => {
    expect(skippedLines(report)).toEqual([
      "wllama, Chromium, 2 threads; Small; Reading about 500 tokens: over the limit of 90 s.",
      "Large: not downloaded.",
    ]);
  });
});
