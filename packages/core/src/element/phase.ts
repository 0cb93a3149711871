import type { Progress } from "../engines/engine.js";

/** What a user sees of an engine: exactly one of these at any time. */
export type Phase =
  /** This browser cannot run the engine. */
  | { readonly kind: "unsupported"; readonly failure: Failure }
  /** No model is loaded. */
  | { readonly kind: "empty"; readonly failure?: Failure }
  | { readonly kind: "downloading"; readonly loaded: number; readonly total: number; readonly bytesPerSecond: number }
  /** A download to which nothing came for a while; it goes on by itself. */
  | { readonly kind: "stalled"; readonly loaded: number; readonly total: number }
  | { readonly kind: "paused"; readonly loaded: number; readonly total: number }
  | { readonly kind: "verifying"; readonly loaded: number; readonly total: number }
  | { readonly kind: "loading"; readonly fraction: number }
  /** `destination`: the host that texts are sent to, where they do not stay here. */
  | { readonly kind: "ready"; readonly destination?: string; readonly stopped?: boolean }
  | { readonly kind: "running"; readonly ahead: number; readonly evaluated: number; readonly total: number }
  /** A start or a decision failed; inputs and earlier answers are kept. */
  | { readonly kind: "failed"; readonly during: "start" | "run"; readonly failure: Failure };

export type PhaseKind = Phase["kind"];

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

export type PhaseEvent =
  | { readonly type: "unsupported"; readonly failure: Failure }
  | { readonly type: "start" }
  | { readonly type: "progress"; readonly progress: Progress; readonly silentMs?: number }
  | { readonly type: "pause" }
  /** The model was let go, or its start was called off. */
  | { readonly type: "empty"; readonly failure?: Failure }
  /** The engine is up. */
  | { readonly type: "ready"; readonly destination?: string }
  | { readonly type: "fail"; readonly failure: Failure };

/** Milliseconds without a byte after which a download counts as stalled. */
export const stallMs = 10_000;

/** The phase after an event. An event that does not fit the phase, such as late progress, changes nothing. */
export function nextPhase(phase: Phase, event: PhaseEvent): Phase {
  switch (event.type) {
    case "unsupported":
      return { kind: "unsupported", failure: event.failure };
    case "start":
      return isIdle(phase) ? { kind: "loading", fraction: 0 } : phase;
    case "pause":
      return phase.kind === "downloading" || phase.kind === "stalled"
        ? { kind: "paused", loaded: phase.loaded, total: phase.total }
        : phase;
    case "empty":
      if (phase.kind === "unsupported") return phase;
      return event.failure === undefined ? { kind: "empty" } : { kind: "empty", failure: event.failure };
    case "ready":
      return event.destination === undefined ? { kind: "ready" } : { kind: "ready", destination: event.destination };
    case "fail":
      return isStarting(phase) ? { kind: "failed", during: "start", failure: event.failure } : phase;
    case "progress":
      return isStarting(phase) ? afterProgress(phase, event.progress, event.silentMs ?? 0) : phase;
  }
}

/** Whether a start is under way. */
export function isStarting(phase: Phase): boolean {
  return (
    phase.kind === "downloading" || phase.kind === "stalled" || phase.kind === "verifying" || phase.kind === "loading"
  );
}

/** Whether nothing is under way, so that a start may begin and another model may be chosen. */
export function isIdle(phase: Phase): boolean {
  return phase.kind === "empty" || phase.kind === "paused" || phase.kind === "ready" || phase.kind === "failed";
}

function afterProgress(phase: Phase, progress: Progress, silentMs: number): Phase {
  switch (progress.phase) {
    case "download": {
      const { loaded, total, bytesPerSecond } = progress;
      return silentMs >= stallMs
        ? { kind: "stalled", loaded, total }
        : { kind: "downloading", loaded, total, bytesPerSecond };
    }
    case "verify":
      return { kind: "verifying", loaded: progress.loaded, total: progress.total };
    case "load":
      return { kind: "loading", fraction: progress.fraction };
    default:
      return phase;
  }
}
