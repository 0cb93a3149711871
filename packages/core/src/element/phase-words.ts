import type { ModelOffer } from "./engine-choice.js";
import { formatsFor } from "./formats.js";
import type { Phase } from "./phase.js";
import { sentence } from "./words/sentence.js";
import type { Words } from "./words/words.js";

/** What a phase is called, why it is so, and how far it is. */
export interface PhaseText {
  readonly title: string;
  readonly cause: string;
  /** 0 to 1; absent where nothing is under way, `"unknown"` where there is no measure. */
  readonly progress?: number | "unknown";
}

export interface PhaseContext {
  readonly offer: ModelOffer | undefined;
  readonly freeBytes: number | undefined;
}

export function phaseText(phase: Phase, context: PhaseContext, words: Words): PhaseText {
  const { phases } = words;
  const { bytes } = formatsFor(words.language);
  switch (phase.kind) {
    case "unsupported":
      return { title: phases.unsupported, cause: phases.failure(phase.failure) };
    case "empty":
      return {
        title: phases.empty,
        cause: phase.failure === undefined ? emptyCause(context, words) : phases.failure(phase.failure),
      };
    case "downloading":
      return {
        title: phases.downloading,
        cause: downloadCause(phase, words),
        progress: share(phase.loaded, phase.total),
      };
    case "stalled": {
      const arrived = phases.arrived(bytes(phase.loaded), phase.total > 0 ? bytes(phase.total) : undefined);
      const cause = `${sentence(arrived)} ${phases.waitingForData()}`;
      return { title: phases.stalled, cause, progress: share(phase.loaded, phase.total) };
    }
    case "paused":
      return {
        title: phases.paused,
        cause: phases.pausedAt(bytes(phase.loaded), bytes(phase.total)),
        progress: share(phase.loaded, phase.total),
      };
    case "verifying":
      return { title: phases.verifying, cause: phases.verifyingHash(), progress: share(phase.loaded, phase.total) };
    case "loading":
      return { title: phases.loading, cause: phases.loadingWeights(), progress: phase.fraction };
    case "ready":
      return { title: phases.ready, cause: readyCause(phase, words) };
    case "running":
      return {
        title: phases.running,
        cause: runningCause(phase, words),
        progress: share(phase.evaluated, phase.total),
      };
    case "failed":
      return {
        title: phase.during === "start" ? phases.failedStart : phases.failedRun,
        cause: phases.failure(phase.failure),
      };
  }
}

/** What a screen reader is told: starts, quarters and ends, not every step. */
export function announcement(phase: Phase, context: PhaseContext, words: Words): string {
  const { title, cause, progress } = phaseText(phase, context, words);
  if (progress === undefined) return `${title}. ${cause}`;
  if (progress === "unknown" || phase.kind === "running") return `${title}.`;
  return words.phases.quarter(title, formatsFor(words.language).percent(Math.floor(progress * 4) / 4));
}

function emptyCause({ offer, freeBytes }: PhaseContext, { phases, language }: Words): string {
  const { bytes } = formatsFor(language);
  if (offer === undefined) return phases.chooseModel();
  if (offer.bytes > 0 && offer.storedBytes === offer.bytes) return phases.kept();
  if (!offer.available) return phases.unavailable(offer);
  const missing = offer.bytes - offer.storedBytes;
  const space =
    freeBytes !== undefined && freeBytes < missing ? [phases.tooLarge(bytes(missing), bytes(freeBytes))] : [];
  if (offer.storedBytes > 0) return [phases.partly(bytes(offer.storedBytes), bytes(offer.bytes)), ...space].join(" ");
  return [phases.offered(bytes(offer.bytes), offer.origin, offer.licence), ...space, phases.nothingUnasked()].join(" ");
}

function downloadCause(phase: Phase & { kind: "downloading" }, { phases, language }: Words): string {
  const { loaded, total, bytesPerSecond } = phase;
  const { bytes, duration } = formatsFor(language);
  const arrived = phases.arrived(bytes(loaded), total > 0 ? bytes(total) : undefined);
  if (bytesPerSecond <= 0) return sentence(arrived);
  const secondsLeft = total > loaded ? Math.ceil((total - loaded) / bytesPerSecond) : 0;
  const left = secondsLeft > 0 ? duration(secondsLeft * 1_000) : undefined;
  return sentence(`${arrived}, ${phases.speed(bytes(bytesPerSecond), left)}`);
}

function readyCause({ destination, stopped }: Phase & { kind: "ready" }, { phases }: Words): string {
  if (stopped) return phases.stopped();
  return destination === undefined ? phases.staysHere() : phases.goesTo(destination);
}

function runningCause(phase: Phase & { kind: "running" }, { phases, language }: Words): string {
  if (phase.ahead > 0) return phases.ahead(formatsFor(language).whole(phase.ahead));
  return phase.total > 0 ? phases.reading() : phases.preparing();
}

function share(part: number, whole: number): number | "unknown" {
  return whole > 0 ? Math.min(1, part / whole) : "unknown";
}
