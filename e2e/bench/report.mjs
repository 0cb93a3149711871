import { summarize } from "./statistics.mjs";

/**
 * @typedef {{ subject: string, file: string, measure: string, tokens?: number } & import("./statistics.mjs").Summary} Summed
 * @typedef {{ subject: string, baseline: string, file: string, measure: string, ratio: number }} Ratio
 *   `ratio`: the subject's median by the baseline's
 *
 * @typedef {object} Report everything that a run found; what is shown anywhere is made from it
 * @property {1} format
 * @property {string} started
 * @property {string} finished
 * @property {string} command
 * @property {{ repetitions: number, peerRepetitions: number, threads: number, limitSeconds: number, budgetMinutes: number | null }} settings
 * @property {{ processor: string, processors: number, memoryGiB: number, system: string }} machine
 * @property {{
 *   optio: string, commit?: string, scorer: { llama: string, emscripten: string, key: string }, node: string, chromium?: string,
 *   wllama: string, nodeLlamaCpp: string, llamaServer: { release: string, cmakeOptions?: readonly string[] } }} versions
 * @property {{ id: string, title: string, name: string, bytes: number, sha256: string, madeBy?: string }[]} files
 * @property {{ id: string, title: string, own: boolean, threads: number }[]} subjects
 * @property {{ id: string, title: string, about: string, unit: "ms" | "bytes" }[]} measures
 * @property {Record<string, Record<string, Record<string, unknown>>>} facts
 * @property {Summed[]} summary
 * @property {Ratio[]} ratios
 * @property {import("./tools/module-sizes.mjs").ModuleSize[]} moduleSizes
 * @property {{ subject?: string, file?: string, measure?: string, reason: string }[]} skipped
 * @property {import("./turns.mjs").Turn[]} turns
 * @property {import("./turns.mjs").Result[]} samples
 */

/**
 * The samples of each subject, file and measure as one entry.
 *
 * @param {readonly import("./turns.mjs").Result[]} samples
 * @returns {Summed[]}
 */
export function summarizeSamples(samples) {
  /** @type {Map<string, import("./turns.mjs").Result[]>} */
  const groups = new Map();
  for (const sample of samples) {
    const key = JSON.stringify([sample.subject, sample.file, sample.measure]);
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  return [...groups.values()].flatMap((group) => {
    const summary = summarize(group.map(({ value }) => value));
    const [first] = group;
    if (summary === undefined || first === undefined) return [];
    const { subject, file, measure, tokens } = first;
    return [{ subject, file, measure, ...(tokens === undefined ? {} : { tokens }), ...summary }];
  });
}

/**
 * What a subject is set against: the peers that do the same work in the same place, with as many threads.
 *
 * @param {{ id: string, own: boolean, threads: number }} subject
 * @param {readonly { id: string, threads: number }[]} all
 */
export function baselinesOf(subject, all) {
  if (!subject.own) return [];
  const names = subject.id.startsWith("native")
    ? ["llama-server", "llama-server-uncached", "node-llama-cpp"]
    : ["native", "native-1", "wllama", "wllama-1"];
  const same = all.filter(({ id, threads }) => names.includes(id) && threads === subject.threads);
  // The build without threads is also set against the same build with them.
  const threaded = all.filter(({ id, threads }) => id === `${subject.id}-threads` && threads !== subject.threads);
  return [...same, ...threaded];
}

/**
 * @param {readonly { id: string, own: boolean, threads: number }[]} subjects
 * @param {readonly Summed[]} summary
 * @returns {Ratio[]}
 */
export function ratiosOf(subjects, summary) {
  return subjects.flatMap((subject) =>
    baselinesOf(subject, subjects).flatMap(({ id: baseline }) =>
      summary
        .filter((entry) => entry.subject === subject.id)
        .flatMap(({ file, measure, median }) => {
          const other = summary.find(
            (entry) => entry.subject === baseline && entry.file === file && entry.measure === measure,
          );
          return other === undefined
            ? []
            : [{ subject: subject.id, baseline, file, measure, ratio: median / other.median }];
        }),
    ),
  );
}
