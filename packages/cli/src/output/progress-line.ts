import type { Progress } from "@optio/core";
import type { Output } from "../context.js";
import { formatBytes } from "./byte-size.js";
import { formatDuration } from "./duration.js";
import { allowsEscapes } from "./style.js";

/** How far something is, as a sentence and a share. */
export interface Step {
  /** Changes when something else begins. */
  readonly phase: string;
  /** 0 to 1; absent while unknown. */
  readonly share?: number;
  readonly text: string;
}

/** Work that is over before this is not announced. */
const patienceMs = 1000;
const redrawMs = 100;
/** How often work of unknown length is mentioned where lines are only appended. */
const mentionMs = 10_000;

/**
 * Progress on stderr: one line that redraws itself on a terminal, otherwise a line each 10 %.
 * Anything shorter than a second leaves no trace.
 */
export class ProgressLine {
  readonly #output: Output;
  readonly #now: () => number;
  readonly #redraws: boolean;
  readonly #silent: boolean;
  #phase: string | undefined;
  #began = 0;
  #drawn = Number.NEGATIVE_INFINITY;
  #tenth = -1;
  #onScreen = false;

  constructor(output: Output, options: { now: () => number; env: NodeJS.ProcessEnv; silent?: boolean }) {
    this.#output = output;
    this.#now = options.now;
    this.#redraws = allowsEscapes(output, options.env);
    this.#silent = options.silent ?? false;
  }

  /** Takes the progress that engines and the model store report. */
  readonly report = (progress: Progress): void => this.show(progressStep(progress));

  show(step: Step): void {
    if (this.#silent) return;
    const now = this.#now();
    if (step.phase !== this.#phase) {
      this.#phase = step.phase;
      this.#began = now;
      this.#tenth = -1;
    }
    if (now - this.#began < patienceMs) return;
    if (this.#redraws) this.#redraw(step, now);
    else this.#append(step, now);
  }

  /** Takes the line away, so that other output can follow. */
  clear(): void {
    this.#phase = undefined;
    if (!this.#onScreen) return;
    this.#onScreen = false;
    void this.#output.write("\r\x1b[2K");
  }

  #redraw(step: Step, now: number): void {
    if (now - this.#drawn < redrawMs) return;
    this.#drawn = now;
    this.#onScreen = true;
    const room = (this.#output.columns ?? 80) - 1;
    void this.#output.write(`\r\x1b[2K${stepText(step).slice(0, room)}`);
  }

  #append(step: Step, now: number): void {
    if (step.share === undefined) {
      if (now - this.#drawn < mentionMs) return;
    } else {
      const tenth = Math.floor(step.share * 10 + 1e-9);
      if (tenth <= this.#tenth) return;
      this.#tenth = tenth;
    }
    this.#drawn = now;
    void this.#output.write(`${stepText(step)}\n`);
  }
}

function stepText(step: Step): string {
  return step.share === undefined ? step.text : `${step.text}, ${Math.floor(step.share * 100 + 1e-9)} %`;
}

export function progressStep(progress: Progress): Step {
  switch (progress.phase) {
    case "download":
      return downloadStep(progress);
    case "verify":
      return {
        phase: "verify",
        ...share(progress.loaded, progress.total),
        text: `checking the file, ${formatBytes(progress.loaded)} of ${formatBytes(progress.total)}`,
      };
    case "evict":
      return { phase: "evict", text: `${progress.id} was removed to make room, ${formatBytes(progress.freedBytes)}` };
    case "load":
      return { phase: "load", share: progress.fraction, text: "loading the model" };
    case "queue":
      return {
        phase: "queue",
        text: `waiting behind ${progress.ahead} other decision${progress.ahead === 1 ? "" : "s"}`,
      };
    case "evaluate":
      return {
        phase: "evaluate",
        ...share(progress.evaluatedTokens, progress.totalTokens),
        text: `reading, ${progress.evaluatedTokens} of ${progress.totalTokens} tokens`,
      };
  }
}

function downloadStep(progress: Progress & { phase: "download" }): Step {
  const { loaded, total, bytesPerSecond } = progress;
  if (total <= 0) return { phase: "download", text: `downloading, ${formatBytes(loaded)}` };
  const speed =
    bytesPerSecond > 0
      ? `${formatBytes(bytesPerSecond)}/s, ${formatDuration(((total - loaded) / bytesPerSecond) * 1000)} left`
      : "waiting for data";
  return {
    phase: "download",
    ...share(loaded, total),
    text: `downloading, ${formatBytes(loaded)} of ${formatBytes(total)}, ${speed}`,
  };
}

function share(done: number, total: number): { share?: number } {
  return total > 0 ? { share: Math.min(1, done / total) } : {};
}
