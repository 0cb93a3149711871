import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chartsOf } from "./charts.mjs";
import { docsFolder, docsPage, latestMeasures } from "./docs-page.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Writes a run's JSON into .bench, which is not in git. A run says so after each turn: hours must not be lost to an interrupt.
 *
 * @param {import("./report.mjs").Report} report
 */
export async function saveReport(report) {
  const stem = stemOf(report);
  await mkdir(join(root, ".bench"), { recursive: true });
  await writeFile(`${stem}.json`, `${JSON.stringify(report, undefined, 2)}\n`);
  return `${stem}.json`;
}

/**
 * @param {import("./report.mjs").Report} report
 */
export async function saveCharts(report) {
  for (const [name, svg] of Object.entries(chartsOf(report))) await writeFile(`${stemOf(report)}-${name}`, svg);
}

/**
 * Makes docs/performance.md, its charts, and the JSON beside them.
 *
 * @param {readonly string[]} paths of runs' JSON, or of what an earlier page was made of; a measure is taken from the last run that has it
 */
export async function writeDocs(paths) {
  /** @type {import("./report.mjs").Report[]} */
  const reports = [];
  for (const path of paths) {
    const found = JSON.parse(await readFile(path, "utf8"));
    for (const report of Array.isArray(found) ? found : [found]) {
      if (report.format !== 1) throw new Error(`${path} is not the result of a run of this benchmark`);
      reports.push(report);
    }
  }
  const docs = join(root, "docs");
  const folder = join(docs, docsFolder);
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) if (name.endsWith(".svg")) await rm(join(folder, name));
  for (const { report, measure } of latestMeasures(reports)) {
    const charts = chartsOf({ ...report, measures: [measure] });
    for (const [name, svg] of Object.entries(charts)) await writeFile(join(folder, name), svg);
  }
  await writeFile(join(folder, "results.json"), `${JSON.stringify(reports, undefined, 2)}\n`);
  await writeFile(join(docs, "performance.md"), docsPage(reports));
  // The formatter checks JSON too, and has its own mind about short arrays.
  const biome = join(root, "node_modules/@biomejs/biome/bin/biome");
  await promisify(execFile)(process.execPath, [biome, "format", "--write", join(folder, "results.json")], {
    cwd: root,
  });
}

/** @param {{ started: string }} report */
function stemOf({ started }) {
  return join(root, ".bench", started.slice(0, 19).replaceAll(":", ""));
}
