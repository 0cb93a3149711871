import { rmSync } from "node:fs";
import { join } from "node:path";
import { CommandFailed, run } from "./children.mjs";
import { hashOfText } from "./fingerprint.mjs";
import { holdLock } from "./lock.mjs";
import { cacheStamps, cloneStamps, cache as defaultCache, logs as defaultLogs } from "./places.mjs";
import { ProgressLine, seconds } from "./progress-line.mjs";
import { readStamp, removeStamp, writeStamp } from "./stamp.mjs";

/**
 * One step of the set-up.
 *
 * @typedef {object} Step
 * @property {string} id names the stamp and the log
 * @property {string} title what the step does, for people
 * @property {"cache" | "clone" | "machine"} place where its result lies; `machine` has no stamp and relies on `intact`
 * @property {() => string} inputs text that changes whenever the result would; read only when the step's turn comes
 * @property {() => boolean} intact whether the result is there; cheap
 * @property {readonly Step[]} [needs] steps whose inputs count as this step's too
 * @property {(tools: StepTools) => Promise<void>} work
 *
 * @typedef {object} StepTools
 * @property {(program: string, args: readonly string[], options?: object) => Promise<string>} run output goes to the step's log and progress line
 * @property {(text: string) => void} say how far the step is
 */

/** The set-up cannot go on without a person: the message says what to do. */
export class NeedsPerson extends Error {
  constructor(message) {
    super(message);
    this.name = "NeedsPerson";
  }
}

/** A step failed; the message holds the end of what it printed. */
export class StepFailed extends Error {
  constructor(step, cause, log) {
    const tail = cause instanceof CommandFailed ? `\n${cause.tail.map((line) => `    ${line}`).join("\n")}` : "";
    super(
      `${step.title} failed: ${cause.message}${tail}\n  The whole output is in ${log}\n  Run the same command again to go on from here.`,
      {
        cause,
      },
    );
    this.name = "StepFailed";
  }
}

/**
 * Brings each step up to date, in order. What is up to date costs a look at its inputs only.
 *
 * @param {readonly Step[]} steps
 * @param {{ stream?: object, cache?: string, stamps?: { cache: string, clone: string }, logs?: string }} [options]
 * @returns {Promise<{ done: string[] }>} ids of the steps that had something to do
 */
export async function runSteps(steps, options = {}) {
  const stream = options.stream ?? process.stderr;
  const stamps = options.stamps ?? { cache: cacheStamps, clone: cloneStamps };
  const logs = options.logs ?? defaultLogs;
  const progress = new ProgressLine(stream);
  const started = Date.now();
  const keys = new Map();
  const done = [];
  let unlock;
  const abandon = () => {
    progress.abandon();
    unlock?.();
  };
  process.once("exit", abandon);
  try {
    for (const [index, step] of steps.entries()) {
      if (isCurrent(step, keys, stamps)) continue;
      unlock ??= await holdLock(join(options.cache ?? defaultCache, "setup.lock"), {
        onWait: (pid) => stream.write(`Waiting for another set-up (process ${pid}) to end ...\n`),
      });
      // The other set-up may have done it.
      if (isCurrent(step, keys, stamps)) continue;
      await bringUpToDate(step, {
        number: `[${index + 1}/${steps.length}]`,
        key: keys.get(step),
        stamps,
        logs,
        progress,
      });
      done.push(step.id);
    }
  } finally {
    process.removeListener("exit", abandon);
    unlock?.();
  }
  if (done.length === 0)
    stream.write(`Set-up: all ${steps.length} steps are up to date (${seconds(Date.now() - started)}).\n`);
  return { done };
}

function isCurrent(step, keys, stamps) {
  const key = hashOfText(
    [step.id, step.inputs(), ...(step.needs ?? []).map((other) => keys.get(other) ?? "")].join("\0"),
  );
  keys.set(step, key);
  if (!step.intact()) return false;
  return step.place === "machine" || readStamp(stamps[step.place], step.id)?.key === key;
}

async function bringUpToDate(step, { number, key, stamps, logs, progress }) {
  const log = join(logs, `${step.id}.log`);
  rmSync(log, { force: true });
  if (step.place !== "machine") removeStamp(stamps[step.place], step.id);
  progress.begin(`${number} ${step.title}`);
  const say = (text) => progress.say(text);
  try {
    await step.work({
      say,
      run: (program, args, options = {}) => run(program, args, { log, onLine: say, ...options }),
    });
    if (!step.intact()) throw new Error("it ended without an error, but its result is not there");
  } catch (error) {
    progress.end("failed");
    throw error instanceof NeedsPerson ? error : new StepFailed(step, error, log);
  }
  if (step.place !== "machine") writeStamp(stamps[step.place], step.id, { key });
  progress.end("done");
}
