import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { chartsOf } from "./charts.mjs";
import { docsFolder, docsPage, latestMeasures } from "./docs-page.mjs";

const docs = new URL("../../docs/", import.meta.url);
const folder = new URL(`${docsFolder}/`, docs);
const advice =
  "docs/performance.md was edited, or its generator was: npm run bench -- --write-docs docs/performance/results.json";

describe("docs/performance.md", () => {
  /** @type {import("./report.mjs").Report[]} */
  const reports = JSON.parse(readFileSync(new URL("results.json", folder), "utf8"));

  it("is what the generator makes of the results beside it", () => {
    expect(readFileSync(new URL("performance.md", docs), "utf8") === docsPage(reports), advice).toBe(true);
  });
  it("shows the charts that the generator draws, and no others", () => {
    const shown = latestMeasures(reports).map(({ report, measure }) => chartsOf({ ...report, measures: [measure] }));
    const charts = Object.assign({}, ...shown);
    const found = readdirSync(fileURLToPath(folder)).filter((name) => name.endsWith(".svg"));
    expect(found.sort()).toEqual(Object.keys(charts).sort());
    for (const [name, svg] of Object.entries(charts)) {
      expect(readFileSync(new URL(name, folder), "utf8") === svg, `${name}: ${advice}`).toBe(true);
    }
  });
  it("names no picture that is not there", () => {
    const named = [...docsPage(reports).matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, path = ""]) => path);
    expect(named.length).toBeGreaterThan(0);
    for (const path of named) expect(existsSync(new URL(path, docs)), path).toBe(true);
  });
});

describe("latestMeasures", () => {
  const run = (/** @type {string[]} */ ...ids) =>
    /** @type {import("./report.mjs").Report} */ (
      /** @type {unknown} */ ({
        measures: ["load", "memory", "size"].map((id) => ({ id })),
        summary: ids.map((measure) => ({ measure })),
        moduleSizes: [],
      })
    );

  it("takes each from the last run that measured it", () => {
    const [first, second] = [run("load", "memory"), run("memory")];
    expect(latestMeasures([first, second])).toEqual([
      { report: first, measure: { id: "load" } },
      { report: second, measure: { id: "memory" } },
    ]);
    expect(latestMeasures([])).toEqual([]);
  });
});
