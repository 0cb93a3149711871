import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { defaultModelsDir } from "@optio/web-demo/server";
import { seconds } from "./chart.mjs";
import { startPageServers } from "./page-servers.mjs";
import { printReport, ratios, saveReport } from "./report.mjs";
import { summarize } from "./statistics.mjs";
import { startInBrowser } from "./subjects/browser.mjs";
import { startInNode } from "./subjects/local.mjs";
import { OverTimeLimit, within } from "./time-limit.mjs";

const usage = `npm run bench -- [options]

Times a prefill of about 500 tokens, and a decision of eight questions over it, in one run and in turns.

  --quick          one repetition, two threads only
  --reps N         repetitions of optio's subjects (default 5)
  --peer-reps N    repetitions of wllama's (default 3; each takes minutes)
  --threads N      threads of the threaded subjects (default 2)
  --limit S        seconds that one sample may take (default 300)
  --model FILE     a GGUF file with a ChatML template (default: SmolLM2-135M of the model store)
  --only TEXT      only subjects whose name holds TEXT; several are separated by commas
`;

/** @type {ReturnType<typeof readOptions>} */
let options;
try {
  options = readOptions();
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  process.exit(2);
}
if (options.help) {
  console.log(usage);
  process.exit(0);
}
await main(options);

function readOptions() {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      reps: { type: "string" },
      "peer-reps": { type: "string" },
      threads: { type: "string", default: "2" },
      limit: { type: "string", default: "300" },
      model: { type: "string" },
      only: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const count = (/** @type {string} */ name, /** @type {string} */ text) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number from 1, not ${text}`);
    return value;
  };
  return {
    help: values.help,
    quick: values.quick,
    reps: count("reps", values.reps ?? (values.quick ? "1" : "5")),
    peerReps: count("peer-reps", values["peer-reps"] ?? (values.quick ? "1" : "3")),
    threads: count("threads", values.threads),
    limitMs: count("limit", values.limit) * 1000,
    only: values.only?.split(",").map((part) => part.trim()),
    model:
      values.model ??
      join(
        defaultModelsDir(),
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        "SmolLM2-135M-Instruct.Q4_1.gguf",
      ),
  };
}

/**
 * @typedef {{ label: string, version: string, browser?: string, prefixTokens: number, decide(): Promise<Sample>, close(): Promise<unknown> }} Running
 * @typedef {{ prefillMs: number, decisionMs: number, tokens: number }} Sample
 * @typedef {{ name: string, own: boolean, reps: number, start(): Promise<Running> }} Subject
 */

/** @param {ReturnType<typeof readOptions>} options */
async function main(options) {
  const { threads, reps, peerReps, limitMs, model } = options;
  const { size: modelBytes } = await stat(model).catch(() => {
    console.error(`There is no model at ${model}. Get it with: optio models pull smollm2-135m-instruct`);
    process.exit(3);
  });
  const servers = await startPageServers(model);
  const inBrowser =
    (/** @type {"optio" | "wllama"} */ subject, /** @type {string} */ address, /** @type {number} */ count) => () =>
      startInBrowser({ address, subject, model: servers.modelIn(address), threads: count });

  /** @type {Subject[]} */
  const all = [
    {
      name: `optio, Chromium, ${threads} threads`,
      own: true,
      reps,
      start: inBrowser("optio", servers.isolated, threads),
    },
    {
      name: `wllama, Chromium, ${threads} threads`,
      own: false,
      reps: peerReps,
      start: inBrowser("wllama", servers.isolated, threads),
    },
    {
      name: `optio, Node WebAssembly, ${threads} threads`,
      own: true,
      reps,
      start: () => startInNode({ engine: "wasm", model, threads }),
    },
    {
      name: `optio, native program, ${threads} threads`,
      own: true,
      reps,
      start: () => startInNode({ engine: "native", model, threads }),
    },
    ...(options.quick
      ? []
      : [
          { name: "optio, Chromium, 1 thread", own: true, reps, start: inBrowser("optio", servers.open, 1) },
          {
            name: "wllama, Chromium, 1 thread",
            own: false,
            reps: Math.min(peerReps, 2),
            start: inBrowser("wllama", servers.open, 1),
          },
        ]),
  ];
  const subjects = all.filter(
    ({ name }) => options.only === undefined || options.only.some((part) => name.includes(part)),
  );

  const results = subjects.map((subject) => ({
    ...subject,
    samples: /** @type {Sample[]} */ ([]),
    problems: /** @type {string[]} */ ([]),
    facts: /** @type {Omit<Running, "decide" | "close"> | undefined} */ (undefined),
    running: /** @type {Running | undefined} */ (undefined),
  }));
  const started = new Date();
  const [loadBefore = 0] = loadavg();
  if (loadBefore > 0.5) {
    console.error(`The machine is busy (load ${loadBefore.toFixed(1)}): the times will be too long and uneven.`);
  }
  try {
    for (const result of results) {
      process.stderr.write(`starting ${result.name}\n`);
      try {
        const running = await within(result.start(), limitMs);
        const { decide, close, ...facts } = running;
        result.running = running;
        result.facts = facts;
        // The first pass compiles and warms up, and is nobody's usual time.
        await within(decide(), limitMs);
      } catch (error) {
        await giveUp(result, error);
      }
    }
    // In turns, so that a busy moment of the machine meets all of them.
    for (let round = 0; round < Math.max(...results.map((result) => result.reps)); round += 1) {
      for (const result of results) {
        if (result.running === undefined || round >= result.reps) continue;
        try {
          const sample = await within(result.running.decide(), limitMs);
          result.samples.push(sample);
          process.stderr.write(
            `${result.name}: prefill ${seconds(sample.prefillMs)}, decision ${seconds(sample.decisionMs)}\n`,
          );
        } catch (error) {
          await giveUp(result, error);
        }
      }
    }
  } finally {
    await Promise.allSettled(results.map((result) => result.running?.close()));
    await servers.close();
  }

  const summary = results.map(({ name, own, facts, samples, problems }) => ({
    name,
    own,
    ...facts,
    tokens: samples[0]?.tokens,
    prefill: summarize(samples.map(({ prefillMs }) => prefillMs)),
    decision: summarize(samples.map(({ decisionMs }) => decisionMs)),
    problems,
  }));
  const report = {
    started: started.toISOString(),
    command: `npm run bench -- ${process.argv.slice(2).join(" ")}`.trim(),
    machine: {
      processor: cpus()[0]?.model,
      processors: cpus().length,
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      system: `${type()} ${release()}`,
      loadBefore,
    },
    versions: await versions(results.map(({ facts }) => facts?.browser).find(Boolean)),
    model: { file: model.split(/[/\\]/).at(-1), bytes: modelBytes, sha256: await sha256(model) },
    settings: { threads, flashAttention: true, contextTokens: 2048, limitSeconds: limitMs / 1000 },
    summary,
    ratios: ratios(summary, threads),
    samples: Object.fromEntries(results.map(({ name, samples }) => [name, samples])),
  };
  printReport(report);
  await saveReport(report, started);
}

/**
 * @param {{ name: string, running: Running | undefined, problems: string[] }} result
 * @param {unknown} error
 */
async function giveUp(result, error) {
  const text = error instanceof Error ? error.message : String(error);
  result.problems.push(error instanceof OverTimeLimit ? text : `failed: ${text}`);
  process.stderr.write(`${result.name}: ${text}\n`);
  const { running } = result;
  result.running = undefined;
  // What hangs must not take processors from the others.
  await within(Promise.resolve(running?.close()), 10_000).catch(() => undefined);
}

/** @param {string | undefined} chromium */
async function versions(chromium) {
  const read = async (/** @type {string} */ address) =>
    JSON.parse(await readFile(new URL(address, import.meta.url), "utf8")).version;
  const commit = await promisify(execFile)("git", ["describe", "--always", "--dirty"], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
  })
    .then(({ stdout }) => stdout.trim())
    .catch(() => undefined);
  return {
    node: process.versions.node,
    chromium,
    wllama: await read("../node_modules/@wllama/wllama/package.json"),
    optio: await read("../../packages/core/package.json"),
    commit,
  };
}

/** @param {string} path */
async function sha256(path) {
  const hash = createHash("sha256");
  for await (const part of createReadStream(path)) hash.update(part);
  return hash.digest("hex");
}
