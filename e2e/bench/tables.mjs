import { digits, quantity, quantityWithRange } from "./quantities.mjs";
import { baselinesOf } from "./report.mjs";

/** @typedef {{ head: string[], rows: string[][] }} Table */

const none = "–";

/**
 * One measure: a row for each subject, a column for each file.
 *
 * @param {import("./report.mjs").Report} report
 * @param {import("./report.mjs").Report["measures"][number]} measure
 * @returns {Table | undefined} undefined where nothing was measured
 */
export function measureTable(report, measure) {
  const files = filesWith(report, measure.id);
  if (files.length === 0) return undefined;
  const rows = report.subjects.flatMap(({ id, title }) => {
    const cells = files.map((file) => {
      const found = entryOf(report, id, file.id, measure.id);
      return found === undefined ? none : quantityWithRange(found, measure.unit);
    });
    return cells.every((cell) => cell === none) ? [] : [[title, ...cells]];
  });
  return { head: ["", ...files.map(({ title }) => title)], rows };
}

/**
 * What a measure is, with the tokens that the subjects evaluated for it: their prompts differ by a few.
 *
 * @param {import("./report.mjs").Report} report
 * @param {import("./report.mjs").Report["measures"][number]} measure
 */
export function aboutMeasure({ summary }, { id, about }) {
  const counts = summary.flatMap(({ measure, tokens }) => (measure === id && tokens !== undefined ? [tokens] : []));
  if (counts.length === 0) return about;
  const [least, most] = [Math.min(...counts), Math.max(...counts)].map((count) => count.toLocaleString("en"));
  return `${about} Evaluated: ${least === most ? least : `${least} to ${most}`} tokens.`;
}

/**
 * The same measure as ratios: our own subjects against their baselines.
 *
 * @param {import("./report.mjs").Report} report
 * @param {import("./report.mjs").Report["measures"][number]} measure
 * @returns {Table | undefined}
 */
export function ratioTable(report, measure) {
  const files = filesWith(report, measure.id);
  const rows = report.subjects.flatMap((subject) =>
    baselinesOf(subject, report.subjects).flatMap(({ id: baseline }) => {
      const cells = files.map((file) => {
        const found = report.ratios.find(
          (ratio) =>
            ratio.subject === subject.id &&
            ratio.baseline === baseline &&
            ratio.file === file.id &&
            ratio.measure === measure.id,
        );
        return found === undefined ? none : `${digits(found.ratio)} ×`;
      });
      const title = report.subjects.find(({ id }) => id === baseline)?.title ?? baseline;
      return cells.every((cell) => cell === none) ? [] : [[subject.title, title, ...cells]];
    }),
  );
  return rows.length === 0 ? undefined : { head: ["", "against", ...files.map(({ title }) => title)], rows };
}

/**
 * @param {import("./report.mjs").Report} report
 * @returns {Table | undefined}
 */
export function sizeTable({ moduleSizes }) {
  if (moduleSizes.length === 0) return undefined;
  return {
    head: ["", "file", "as brotli"],
    rows: moduleSizes.map(({ title, bytes, brotliBytes }) => [
      title,
      quantity(bytes, "bytes"),
      quantity(brotliBytes, "bytes"),
    ]),
  };
}

/**
 * The bars of a measure, a panel for each file.
 *
 * @param {import("./report.mjs").Report} report
 * @param {import("./report.mjs").Report["measures"][number]} measure
 * @returns {import("./chart.mjs").Panel[]}
 */
export function measurePanels(report, measure) {
  return filesWith(report, measure.id).map((file) => ({
    title: file.title,
    bars: report.subjects.flatMap(({ id, title, own }) => {
      const found = entryOf(report, id, file.id, measure.id);
      return found === undefined ? [] : [{ label: title, own, ...found, text: quantity(found.median, measure.unit) }];
    }),
  }));
}

/**
 * @param {import("./report.mjs").Report} report
 * @returns {import("./chart.mjs").Panel[]}
 */
export function sizePanels({ moduleSizes }) {
  if (moduleSizes.length === 0) return [];
  const panel = (/** @type {"bytes" | "brotliBytes"} */ key, /** @type {string} */ title) => ({
    title,
    bars: moduleSizes.map((entry) => ({
      label: entry.title,
      own: entry.own,
      median: entry[key],
      least: entry[key],
      most: entry[key],
      text: quantity(entry[key], "bytes"),
    })),
  });
  return [panel("bytes", "The file"), panel("brotliBytes", "As brotli sends it")];
}

/**
 * What is missing, and why; subjects and files by their titles.
 *
 * @param {import("./report.mjs").Report} report
 */
export function skippedLines(report) {
  const titleOf = (
    /** @type {readonly { id: string, title: string }[]} */ all,
    /** @type {string | undefined} */ id,
  ) => (id === undefined ? [] : [all.find((entry) => entry.id === id)?.title ?? id]);
  return report.skipped.map(({ subject, file, measure, reason }) => {
    const what = [
      ...titleOf(report.subjects, subject),
      ...titleOf(report.files, file),
      ...titleOf(report.measures, measure),
    ];
    return `${what.join("; ")}: ${reason}.`;
  });
}

/**
 * @param {import("./report.mjs").Report} report
 * @param {string} measure
 */
function filesWith({ files, summary }, measure) {
  return files.filter(({ id }) => summary.some((entry) => entry.file === id && entry.measure === measure));
}

/**
 * @param {import("./report.mjs").Report} report
 * @param {string} subject
 * @param {string} file
 * @param {string} measure
 */
function entryOf({ summary }, subject, file, measure) {
  return summary.find((entry) => entry.subject === subject && entry.file === file && entry.measure === measure);
}
