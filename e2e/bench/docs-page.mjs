import { othersMedian, otherWork } from "./other-work.mjs";
import { aboutMeasure, measureTable, ratioTable, sizeTable, skippedLines } from "./tables.mjs";

/** Where the page's results and charts lie, from the folder of the page. */
export const docsFolder = "performance";

/**
 * The measures of several runs in their order, each with the last run that has it.
 *
 * @param {readonly import("./report.mjs").Report[]} reports
 */
export function latestMeasures(reports) {
  /** @type {Map<string, { report: import("./report.mjs").Report, measure: import("./report.mjs").Report["measures"][number] }>} */
  const latest = new Map();
  for (const report of reports) {
    for (const measure of report.measures) {
      const measured =
        measure.id === "size"
          ? report.moduleSizes.length > 0
          : report.summary.some((entry) => entry.measure === measure.id);
      if (measured) latest.set(measure.id, { report, measure });
    }
  }
  return [...latest.values()];
}

/**
 * docs/performance.md.
 *
 * @param {readonly import("./report.mjs").Report[]} reports runs; a measure is shown from the last that has it
 */
export function docsPage(reports) {
  const shown = latestMeasures(reports);
  const runs = reports.filter((report) => shown.some((each) => each.report === report));
  const [newest] = runs.slice(-1);
  if (newest === undefined) throw new Error("nothing was measured");
  const { cmakeOptions } = newest.versions.llamaServer;
  const files = new Map(runs.flatMap((run) => run.files.map((file) => [file.id, file])));
  const skipped = runs.flatMap((run) => {
    const measures = run.measures.filter((measure) =>
      shown.some((each) => each.report === run && each.measure.id === measure.id),
    );
    const ids = measures.map(({ id }) => id);
    // What another run made up for is not missing.
    return skippedLines({
      ...run,
      skipped: run.skipped.filter(({ measure }) => measure === undefined || ids.includes(measure)),
    });
  });
  const parts = [
    "# Performance",
    `<!-- Made by \`npm run bench -- --write-docs\` from ${docsFolder}/results.json: measure again rather than edit. -->`,
    "What optio takes beside its peers: the same files, texts and threads, in one run, in turns. A figure is the median of its run's repetitions, with the least and the most behind it; each repetition starts the subject anew.",
    ...runs.flatMap((run, index) => [
      ...(runs.length === 1
        ? []
        : [
            `**Run ${index + 1}:** ${shown
              .filter(({ report }) => report === run)
              .map(({ measure }) => measure.title.toLowerCase())
              .join("; ")}.`,
          ]),
      ...doubts(run),
      table(runTable(run)),
    ]),
    table(fileTable([...files.values()])),
    ...shown.flatMap(({ report, measure }) =>
      measureParts(report, measure, runs.length === 1 ? undefined : runs.indexOf(report) + 1),
    ),
    "## What is missing",
    skipped.length === 0
      ? "Nothing: all that was asked for was measured."
      : skipped.map((line) => `* ${line}`).join("\n"),
    "## How to repeat it",
    "`npm run bench` measures a part of this in less than half an hour, `npm run bench -- --full` all of it, `npm run bench -- --help` names the choices. Results go to `.bench/`; `npm run bench -- --write-docs .bench/<run>.json` makes this page of them.",
    "Peers are asked as they are best asked: wllama and llama-server keep the state in their cache from one question to the next, llama-server reads letters by a bias on them (exact probabilities in one short answer; 'nothing kept': with `cache_prompt` off, as that recipe is written down so that its numbers repeat), node-llama-cpp gives the probabilities of its whole vocabulary. All use flash attention, no graphics card, and a context of 2,560 tokens.",
    ...(cmakeOptions === undefined ? [] : [`llama-server is built with \`${cmakeOptions.join(" ")}\`.`]),
  ];
  return `${parts.join("\n\n")}\n`;
}

/**
 * Why not to trust the figures, where there is a reason.
 *
 * @param {import("./report.mjs").Report} report
 */
function doubts(report) {
  const reasons = [
    ...(othersMedian(report) > 0.25
      ? ["others were using the processors, which lengthens what runs on two threads most"]
      : []),
    ...(report.settings.repetitions < 3 ? ["nothing was repeated often enough to show a spread"] : []),
  ];
  return reasons.length === 0 ? [] : [`**Do not quote these figures:** ${reasons.join(", and ")}.`];
}

/** @param {number} count */
function times(count) {
  return count === 1 ? "one repetition" : `${count} repetitions`;
}

/**
 * When, where and what.
 *
 * @param {import("./report.mjs").Report} report
 * @returns {import("./tables.mjs").Table}
 */
function runTable(report) {
  const { machine, versions, started, finished, command, settings } = report;
  const { scorer } = versions;
  const minutes = Math.round((Date.parse(finished) - Date.parse(started)) / 60_000);
  const commit = versions.commit === undefined ? "" : `, commit ${versions.commit}`;
  const chromium = versions.chromium === undefined ? "" : `, Chromium ${versions.chromium}`;
  return {
    head: ["", ""],
    rows: [
      [
        "machine",
        `${machine.processor}, ${machine.processors} processors, ${machine.memoryGiB} GiB; ${machine.system}`,
      ],
      ["when", `${started.slice(0, 16).replace("T", " ")} UTC, for ${minutes} minutes`],
      ["others used", otherWork(report)],
      ["optio", `${versions.optio}${commit}; scorer of llama.cpp ${scorer.llama}, emscripten ${scorer.emscripten}`],
      ["runtimes", `Node ${versions.node}${chromium}`],
      [
        "peers",
        `wllama ${versions.wllama}, node-llama-cpp ${versions.nodeLlamaCpp}, llama-server of llama.cpp ${versions.llamaServer.release}`,
      ],
      ["repetitions", `${times(settings.repetitions)}; wllama: ${times(settings.peerRepetitions)}`],
      ["command", `\`${command}\``],
    ],
  };
}

/**
 * @param {import("./report.mjs").Report["files"]} files
 * @returns {import("./tables.mjs").Table}
 */
function fileTable(files) {
  return {
    head: ["file", "", "bytes", "SHA-256"],
    rows: files.map(({ title, name, bytes, sha256, madeBy }) => [
      title,
      madeBy === undefined
        ? `\`${name}\``
        : `made by \`${madeBy}\`; its weights lose a little twice, which changes answers and not times`,
      bytes.toLocaleString("en"),
      `\`${sha256.slice(0, 16)}…\``,
    ]),
  };
}

/**
 * @param {import("./report.mjs").Report} report
 * @param {import("./report.mjs").Report["measures"][number]} measure
 * @param {number | undefined} run its number, where there are several
 */
function measureParts(report, measure, run) {
  const figures = measure.id === "size" ? sizeTable(report) : measureTable(report, measure);
  if (figures === undefined) return [];
  const ratios = ratioTable(report, measure);
  return [
    `## ${measure.title}`,
    aboutMeasure(report, measure) + (run === undefined ? "" : ` Run ${run}.`),
    `![${measure.title}](${docsFolder}/${measure.id}.svg)`,
    table(figures),
    ...(ratios === undefined ? [] : ["As a ratio: below 1 × is less than what it is set against.", table(ratios)]),
  ];
}

/** @param {import("./tables.mjs").Table} content */
function table({ head, rows }) {
  const line = (/** @type {readonly string[]} */ cells) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
