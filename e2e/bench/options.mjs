import { parseArgs } from "node:util";
import { files } from "./files.mjs";
import { measures } from "./measures.mjs";
import { pick } from "./selection.mjs";

export const usage = `npm run bench -- [options]

Times optio beside its peers: the same files, texts and threads, in turns, in one run.

What is measured
  --files LIST         ${files.map(({ id }) => id).join(", ")}
  --subjects LIST      chromium-<variant>, node-<variant>, native, wllama, llama-server, node-llama-cpp, ...
  --measures LIST      ${measures.map(({ id }) => id).join(", ")}
                       Lists are separated by commas; a part of a name stands for all names that hold it.
  --quick              one file, one repetition: some minutes
  --full               everything, without a budget: hours
  --list               says what there is to select, and ends

How
  --repetitions N      of optio and the native programs (default 3; --quick: 1)
  --peer-repetitions N of wllama, which takes ten times as long (default 2; --quick: 1)
  --threads N          of the threaded subjects (default 2)
  --limit SECONDS      for one sample; what would take longer is skipped (default 90; --full: 600)
  --budget MINUTES     after which no new turn begins (default 20; --full: none)
  --patience SECONDS   before a turn, for others to leave the processors (default 30; --quick: 0)
  --prepare            builds llama.cpp's own tools (a quarter of an hour, once) and installs node-llama-cpp where they are
                       missing; without it, what needs them is skipped. --full does it too.

Afterwards
  --write-docs LIST    writes docs/performance.md and its charts from the JSON of earlier runs, separated by commas, and measures
                       nothing; a measure is taken from the last run that has it
  --help
`;

/**
 * @param {readonly string[]} args
 */
export function readOptions(args) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      files: { type: "string" },
      subjects: { type: "string" },
      measures: { type: "string" },
      quick: { type: "boolean", default: false },
      full: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      repetitions: { type: "string" },
      "peer-repetitions": { type: "string" },
      threads: { type: "string", default: "2" },
      limit: { type: "string" },
      budget: { type: "string" },
      patience: { type: "string" },
      prepare: { type: "boolean", default: false },
      "write-docs": { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const { quick, full } = values;
  if (quick && full) throw new Error("--quick and --full exclude each other");
  const tier = full ? "full" : quick ? "quick" : "default";
  const count = (/** @type {string} */ name, /** @type {string} */ text, least = 1) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < least) {
      throw new Error(`--${name} must be a whole number from ${least}, not ${text}`);
    }
    return value;
  };
  const budget = values.budget ?? (full ? undefined : "20");
  return {
    help: values.help,
    list: values.list,
    writeDocs: values["write-docs"]?.split(","),
    tier: /** @type {import("./selection.mjs").Tier} */ (tier),
    files: pick("files", files, tier, values.files),
    measures: pick("measures", measures, tier, values.measures),
    /** Which subjects there are depends on what is built: they are picked later. */
    subjects: values.subjects,
    repetitions: count("repetitions", values.repetitions ?? (quick ? "1" : "3")),
    peerRepetitions: count("peer-repetitions", values["peer-repetitions"] ?? (quick ? "1" : "2")),
    threads: count("threads", values.threads),
    limitMs: count("limit", values.limit ?? (full ? "600" : "90")) * 1000,
    budgetMs: budget === undefined ? Number.POSITIVE_INFINITY : count("budget", budget) * 60_000,
    patienceMs: count("patience", values.patience ?? (quick ? "0" : "30"), 0) * 1000,
    prepare: values.prepare || full,
  };
}
