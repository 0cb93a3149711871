import type { ModelOffer } from "./engine-choice.js";
import type { Failure, Phase } from "./phase.js";
import { bytes, timeLeft } from "./words.js";

/** What a phase is called, why it is so, and how far it is. */
export interface PhaseWords {
  readonly title: string;
  readonly cause: string;
  /** 0 to 1; `undefined` where nothing is under way, `"unknown"` where there is no measure. */
  readonly progress?: number | "unknown";
}

export function phaseWords(phase: Phase, offer: ModelOffer | undefined): PhaseWords {
  switch (phase.kind) {
    case "unsupported":
      return { title: "This browser cannot run the engine", cause: failureText(phase.failure) };
    case "empty":
      return { title: "No model loaded", cause: phase.note ?? emptyCause(offer) };
    case "downloading":
      return { title: "Downloading", cause: downloadCause(phase), progress: share(phase.loaded, phase.total) };
    case "paused":
      return {
        title: "Download paused",
        cause: `${bytes(phase.loaded)} of ${bytes(phase.total)} are kept. It continues from there, after a reload too.`,
        progress: share(phase.loaded, phase.total),
      };
    case "verifying":
      return {
        title: "Checking the file",
        cause: "Its hash is compared with the published one.",
        progress: share(phase.loaded, phase.total),
      };
    case "loading":
      return {
        title: "Loading the model",
        cause: "The weights go from storage into memory.",
        progress: phase.fraction,
      };
    case "ready":
      return { title: "Ready", cause: phase.note ?? "The model is loaded. Nothing that you type leaves this page." };
    case "running":
      return { title: "Deciding", cause: runningCause(phase), progress: share(phase.evaluated, phase.total) };
    case "failed":
      return {
        title: phase.during === "start" ? "The model could not be started" : "The decision failed",
        cause: failureText(phase.failure),
      };
  }
}

/** What a screen reader is told: starts, quarters and ends, not every step. */
export function announcement(phase: Phase, offer: ModelOffer | undefined): string {
  const { title, cause, progress } = phaseWords(phase, offer);
  if (progress === undefined) return `${title}. ${cause}`;
  if (progress === "unknown" || phase.kind === "running") return `${title}.`;
  return `${title}, ${Math.floor(progress * 4) * 25} percent.`;
}

function emptyCause(offer: ModelOffer | undefined): string {
  if (offer === undefined) return "Choose a model.";
  if (offer.storedBytes === offer.bytes)
    return "The chosen model is kept in this browser: nothing has to be downloaded.";
  if (!offer.served)
    return `This page's server does not have the file. On its machine run: optio models pull ${offer.id}`;
  const size = `${bytes(offer.bytes)} from this page's own server, licence ${offer.licence}, kept in this browser`;
  if (offer.storedBytes === 0) return `${size}. Nothing is downloaded before you say so.`;
  return `${bytes(offer.storedBytes)} of ${bytes(offer.bytes)} are here already; the download continues from there.`;
}

function downloadCause(phase: Phase & { kind: "downloading" }): string {
  const { loaded, total, bytesPerSecond } = phase;
  const far = total > 0 ? `${bytes(loaded)} of ${bytes(total)}` : bytes(loaded);
  if (bytesPerSecond <= 0) return `${far}. Waiting for data.`;
  const left = timeLeft(loaded, total, bytesPerSecond);
  return `${far}, ${bytes(bytesPerSecond)} a second${left === undefined ? "" : `, ${left}`}.`;
}

function runningCause(phase: Phase & { kind: "running" }): string {
  if (phase.ahead > 0) return `${phase.ahead} decisions are ahead of this one.`;
  return phase.total > 0 ? "The text and the questions go through the model." : "Preparing.";
}

/** Messages of other programs, which may be part of ours, seldom end in a full stop. */
function failureText({ message, hint }: Failure): string {
  return `${/[.!?]$/.test(message) ? message : `${message}.`} ${hint}`;
}

function share(part: number, whole: number): number | "unknown" {
  return whole > 0 ? Math.min(1, part / whole) : "unknown";
}
