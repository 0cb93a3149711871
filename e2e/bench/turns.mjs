import { OverTimeLimit, within } from "./time-limit.mjs";

/**
 * @typedef {{ value: number, tokens?: number }} Sample `value`: milliseconds or bytes; `tokens`: evaluated for it
 *
 * @typedef {object} Running a subject that was started
 * @property {Record<string, unknown>} facts what it says of itself
 * @property {number} loadMs
 * @property {(work: import("./measures.mjs").Work) => Promise<Sample>} measure
 * @property {() => number | undefined} peakMemory bytes
 * @property {() => Promise<unknown>} close ends it, also in the middle of a sample
 *
 * @typedef {object} Subject
 * @property {string} id
 * @property {number} repetitions
 * @property {(file: { id: string, path: string }) => Promise<Running>} start
 *
 * @typedef {{ subject: string, file: string, measure: string, round: number } & Sample} Result
 * @typedef {{ subject: string, file: string, measure?: string, reason: string }} Skipped
 * @typedef {{ subject: string, file: string, round: number, started: string, loadBefore: number, loadAfter: number, othersBefore: number, othersAfter: number }} Turn
 *   `load`: the system's, over its last minute; `others`: processors in use when nothing of ours runs
 *
 * @typedef {object} Found
 * @property {Result[]} results
 * @property {Skipped[]} skipped
 * @property {Turn[]} turns
 * @property {Record<string, Record<string, Record<string, unknown>>>} facts what a subject said of itself, by subject and file
 *
 * @typedef {object} Plan
 * @property {readonly { id: string, path: string }[]} files
 * @property {readonly Subject[]} subjects
 * @property {readonly import("./measures.mjs").Measure[]} measures
 * @property {number} limitMs for a start, and for one sample
 * @property {number} budgetMs after which no turn begins
 *
 * @typedef {object} Surroundings
 * @property {() => number} now milliseconds
 * @property {() => number} load of the machine
 * @property {() => Promise<number>} quiet waits for others to leave the processors; says how many they still use
 * @property {() => Promise<number>} others processors that others use
 * @property {(line: string) => void} log
 * @property {(soFar: Found) => Promise<void>} [onTurn] awaited after each turn
 */

/**
 * Runs all subjects in turns, so that a busy moment of the machine meets all of them. In a turn one subject is started, asked for
 * a sample of each measure, and ended: nobody's memory or idle threads stand beside another's times.
 *
 * @param {Plan} plan
 * @param {Surroundings} surroundings
 * @returns {Promise<Found>}
 */
export async function takeTurns(
  { files, subjects, measures, limitMs, budgetMs },
  { now, load, quiet, others, log, onTurn },
) {
  /** @type {Found} */
  const found = { results: [], skipped: [], turns: [], facts: {} };
  const { results, skipped, turns, facts } = found;
  /** @type {Map<string, number>} milliseconds a token, the slowest so far, by subject and file */
  const pace = new Map();
  const began = now();
  const lastRound = Math.max(0, ...subjects.map(({ repetitions }) => repetitions));

  const isSkipped = (/** @type {string} */ subject, /** @type {string} */ file, /** @type {string} */ measure) =>
    skipped.some(
      (entry) =>
        entry.subject === subject && entry.file === file && (entry.measure === undefined || entry.measure === measure),
    );
  const skip = (/** @type {Skipped} */ entry) => {
    skipped.push(entry);
    log(
      `${entry.file}, ${entry.subject}${entry.measure === undefined ? "" : `, ${entry.measure}`}: skipped, ${entry.reason}`,
    );
  };

  for (let round = 0; round < lastRound; round += 1) {
    for (const file of files) {
      // To and fro: the same subject is not always the one that comes behind the one that heats the processor.
      const order = round % 2 === 0 ? subjects : [...subjects].reverse();
      for (const subject of order) {
        if (round >= subject.repetitions) continue;
        const wanted = measures.filter(({ id }) => !isSkipped(subject.id, file.id, id));
        if (wanted.length === 0) continue;
        if (now() - began > budgetMs) {
          const reason = `the run's ${budgetMs / 60_000} minutes were over before repetition ${round + 1}`;
          skip({ subject: subject.id, file: file.id, reason });
          continue;
        }
        const othersBefore = await quiet();
        const begun = { started: new Date().toISOString(), loadBefore: load(), othersBefore };
        log(`${file.id}, ${subject.id}, repetition ${round + 1}`);
        await takeTurn(subject, file, wanted, round);
        const ended = { loadAfter: load(), othersAfter: await others() };
        turns.push({ subject: subject.id, file: file.id, round, ...begun, ...ended });
        await onTurn?.(found);
      }
    }
  }
  return found;

  /**
   * @param {Subject} subject
   * @param {{ id: string, path: string }} file
   * @param {typeof measures} wanted
   * @param {number} round
   */
  async function takeTurn(subject, file, wanted, round) {
    const here = { subject: subject.id, file: file.id };
    const key = `${subject.id} ${file.id}`;
    const keep = (/** @type {string} */ measure, /** @type {Sample} */ sample) =>
      results.push({ ...here, measure, round, ...sample });

    const starting = subject.start(file);
    /** @type {Running} */
    let running;
    try {
      running = await within(starting, limitMs);
    } catch (error) {
      // One that starts after all must not stay.
      if (error instanceof OverTimeLimit) starting.then((late) => late.close()).catch(() => undefined);
      skip({ ...here, reason: `it did not start: ${messageOf(error)}` });
      return;
    }
    try {
      facts[subject.id] = { ...facts[subject.id], [file.id]: running.facts };
      for (const { id, work, tokens = 0 } of wanted) {
        if (id === "load") keep(id, { value: running.loadMs });
        if (work === undefined) continue;
        const expected = (pace.get(key) ?? 0) * tokens;
        if (expected > limitMs) {
          const reason = `it would take about ${Math.round(expected / 1000)} s, over the limit of ${limitMs / 1000} s`;
          skip({ ...here, measure: id, reason });
          continue;
        }
        try {
          const asked = now();
          const sample = await within(running.measure(work), limitMs);
          keep(id, sample);
          // What is cached evaluates few tokens and says little of the pace.
          if (work.kind !== "cached" && sample.tokens) {
            pace.set(key, Math.max(pace.get(key) ?? 0, (now() - asked) / sample.tokens));
          }
        } catch (error) {
          skip({ ...here, measure: id, reason: messageOf(error) });
          // What hangs, or has crashed, has no further samples to give in this turn.
          return;
        }
      }
      const bytes = wanted.some(({ id }) => id === "memory") ? running.peakMemory() : undefined;
      if (bytes !== undefined) keep("memory", { value: bytes });
    } finally {
      await within(running.close(), 20_000).catch((error) => log(`${key}: it did not end: ${messageOf(error)}`));
    }
  }
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
