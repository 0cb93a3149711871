import { createHash } from "node:crypto";
import { createReadStream, mkdtempSync, rmSync } from "node:fs";
import { stat } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { defaultModelsDir } from "@optio/web-demo/server";
import { files as allFiles, provideFile } from "./files.mjs";
import { describeMachine, describeVersions } from "./machine.mjs";
import { measures as allMeasures } from "./measures.mjs";
import { readOptions } from "./options.mjs";
import { printReport } from "./print.mjs";
import { killDescendants } from "./process-tree.mjs";
import { processorsInUse, untilQuiet } from "./processor-use.mjs";
import { ratiosOf, summarizeSamples } from "./report.mjs";
import { saveCharts, saveReport } from "./save.mjs";
import { pick } from "./selection.mjs";
import { describeSubjects, starterOf, storeForBrowsers } from "./subjects.mjs";
import { within } from "./time-limit.mjs";
import { moduleSizes } from "./tools/module-sizes.mjs";
import { ensureNativeTools, nativeTools } from "./tools/native-tools.mjs";
import { provideNodeLlamaCpp } from "./tools/node-llama-cpp.mjs";
import { takeTurns } from "./turns.mjs";
import { builtVariants } from "./variants.mjs";

/** The first visit of a browser: a gigabyte goes through its storage. */
const storeLimitMs = 600_000;

// Without this, what lies in the temporary folder stays behind after an interrupt.
for (const [signal, status] of /** @type {const} */ ([
  ["SIGINT", 130],
  ["SIGTERM", 143],
])) {
  process.once(signal, () => process.exit(status));
}
const options = readOptions(process.argv.slice(2));
const log = (/** @type {string} */ line) =>
  void process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
await main();

async function main() {
  const variants = await builtVariants();
  const all = describeSubjects(variants, options.threads);
  if (options.list) {
    printChoices(all);
    return;
  }
  const skipped = /** @type {import("./report.mjs").Report["skipped"]} */ ([]);
  const wanted = pickSubjects(all);
  const { files, described } = await provideFiles(skipped);
  const equipment = await provideTools(wanted, skipped);
  const subjects = wanted.filter(({ id }) => !skipped.some(({ subject }) => subject === id));
  const sizes = options.measures.some(({ id }) => id === "size") ? await moduleSizes(variants) : [];

  const temporary = mkdtempSync(join(tmpdir(), "optio-bench-"));
  process.once("exit", () => {
    // A browser that still runs would go on writing into the folder while it is removed.
    killDescendants(process.pid);
    rmSync(temporary, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  });
  const inBrowser = subjects.some(({ runs }) => runs.in === "chromium");
  // Building the page takes Vite, which nothing else needs.
  const pages = inBrowser
    ? await (await import("./page-servers.mjs")).startPageServers(join(temporary, "page"), files)
    : undefined;
  const full = { ...equipment, pages, folderFor: (/** @type {string} */ name) => join(temporary, name) };

  const started = new Date();
  const settings = {
    repetitions: options.repetitions,
    peerRepetitions: options.peerRepetitions,
    threads: options.threads,
    limitSeconds: options.limitMs / 1000,
    budgetMinutes: Number.isFinite(options.budgetMs) ? options.budgetMs / 60_000 : null,
  };
  const others = await processorsInUse();
  if (others > 0.2) log(`others use ${others} of the processors: the times will be too long and uneven`);

  /** @param {import("./turns.mjs").Found} found */
  const reportOf = async ({ results, skipped: alsoSkipped, turns, facts }) => {
    const summary = summarizeSamples(results);
    const browsers = Object.values(facts).flatMap((byFile) => Object.values(byFile).map(({ browser }) => browser));
    return /** @type {import("./report.mjs").Report} */ ({
      format: 1,
      started: started.toISOString(),
      finished: new Date().toISOString(),
      command: ["npm run bench", ...(process.argv.length > 2 ? ["--", ...process.argv.slice(2)] : [])].join(" "),
      settings,
      machine: describeMachine(),
      versions: await describeVersions({
        chromium: /** @type {string | undefined} */ (browsers.find(Boolean)),
        cmakeOptions: equipment.nativeTools?.cmakeOptions,
      }),
      files: described,
      subjects: wanted.map(({ id, title, own, threads }) => ({ id, title, own, threads })),
      measures: options.measures.map(({ id, title, about, unit }) => ({ id, title, about, unit })),
      facts,
      summary,
      ratios: ratiosOf(wanted, summary),
      moduleSizes: sizes,
      skipped: [...skipped, ...alsoSkipped],
      turns,
      samples: results,
    });
  };

  try {
    if (pages !== undefined) {
      for (const { id } of files) {
        log(`${id}: storing it in the browser`);
        await within(storeForBrowsers(subjects, id, full), storeLimitMs);
      }
    }
    const found = await takeTurns(
      {
        files,
        subjects: subjects.map((subject) => ({
          id: subject.id,
          repetitions: subject.id.startsWith("wllama") ? options.peerRepetitions : options.repetitions,
          start: starterOf(subject, full),
        })),
        measures: options.measures,
        limitMs: options.limitMs,
        budgetMs: options.budgetMs,
      },
      {
        now: () => performance.now(),
        load: () => Math.round((loadavg()[0] ?? 0) * 100) / 100,
        quiet: () => untilQuiet(options.patienceMs),
        others: () => processorsInUse(),
        log,
        onTurn: async (soFar) => void (await saveReport(await reportOf(soFar))),
      },
    );
    const report = await reportOf(found);
    printReport(report);
    const path = await saveReport(report);
    await saveCharts(report);
    console.log(`\nSaved as ${path}, with a chart for each table beside it.`);
  } finally {
    await pages?.close();
  }
}

/** @param {ReturnType<typeof describeSubjects>} all */
function pickSubjects(all) {
  try {
    return pick("subjects", all, options.tier, options.subjects);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}

/** @param {import("./report.mjs").Report["skipped"]} skipped */
async function provideFiles(skipped) {
  const modelsFolder = defaultModelsDir();
  const files = /** @type {{ id: string, path: string }[]} */ ([]);
  const described = /** @type {import("./report.mjs").Report["files"]} */ ([]);
  for (const file of options.files) {
    const { id, title } = file;
    const provided = await provideFile(file, { modelsFolder, prepare: options.prepare, log });
    if ("missing" in provided) {
      described.push({ id, title, name: "", bytes: 0, sha256: "" });
      skipped.push({ file: id, reason: provided.missing });
      continue;
    }
    const { path, madeBy } = provided;
    files.push({ id, path });
    const { size: bytes } = await stat(path);
    const made = madeBy === undefined ? {} : { madeBy };
    described.push({ id, title, name: basename(path), bytes, sha256: await sha256(path), ...made });
  }
  return { files, described: described.filter(({ bytes }) => bytes > 0) };
}

/**
 * @param {ReturnType<typeof describeSubjects>} wanted
 * @param {import("./report.mjs").Report["skipped"]} skipped
 */
async function provideTools(wanted, skipped) {
  const wants = (/** @type {string} */ name) => wanted.some(({ id }) => id === name);
  const missing = (/** @type {string} */ subject, /** @type {string} */ what) =>
    skipped.push({ subject, reason: `${what} here: --prepare does it` });
  let tools = await nativeTools();
  const servers = ["llama-server", "llama-server-uncached"].filter(wants);
  if (servers.length > 0 && !tools.built) {
    if (options.prepare) tools = await ensureNativeTools({ log });
    else for (const id of servers) missing(id, "not built");
  }
  const nodeLlamaCpp = wants("node-llama-cpp")
    ? await provideNodeLlamaCpp({ prepare: options.prepare, log })
    : undefined;
  if (wants("node-llama-cpp") && nodeLlamaCpp === undefined) missing("node-llama-cpp", "not installed");
  return { nativeTools: tools.built ? tools : undefined, nodeLlamaCpp };
}

/** @param {ReturnType<typeof describeSubjects>} subjects */
function printChoices(subjects) {
  for (const [what, entries] of /** @type {const} */ ([
    ["subjects", subjects],
    ["files", allFiles],
    ["measures", allMeasures],
  ])) {
    console.log(`\n--${what}`);
    for (const { id, title, tier } of entries) console.log(`  ${id.padEnd(32)}${title} (${tier})`);
  }
}

/** @param {string} path */
async function sha256(path) {
  const hash = createHash("sha256");
  for await (const part of createReadStream(path)) hash.update(part);
  return hash.digest("hex");
}
