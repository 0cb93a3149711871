import type { Progress } from "@optio/core";

/** What the page is doing: exactly one of these at any time. */
export type Phase =
  /** This browser cannot run the engine. */
  | { readonly kind: "unsupported"; readonly failure: Failure }
  /** No model is loaded. */
  | { readonly kind: "empty"; readonly note?: string }
  | { readonly kind: "downloading"; readonly loaded: number; readonly total: number; readonly bytesPerSecond: number }
  | { readonly kind: "paused"; readonly loaded: number; readonly total: number }
  | { readonly kind: "verifying"; readonly loaded: number; readonly total: number }
  | { readonly kind: "loading"; readonly fraction: number }
  | { readonly kind: "ready"; readonly note?: string }
  | { readonly kind: "running"; readonly ahead: number; readonly evaluated: number; readonly total: number }
  /** A start or a decision failed; inputs and earlier answers are kept. */
  | { readonly kind: "failed"; readonly during: "start" | "run"; readonly failure: Failure };

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

export type PhaseEvent =
  | { readonly type: "unsupported"; readonly failure: Failure }
  | { readonly type: "start" }
  | { readonly type: "progress"; readonly progress: Progress }
  | { readonly type: "pause" }
  /** The model was let go, or its start was called off. */
  | { readonly type: "empty"; readonly note?: string }
  /** The engine is up, or a decision ended. */
  | { readonly type: "ready"; readonly note?: string }
  | { readonly type: "run" }
  | { readonly type: "fail"; readonly failure: Failure };

/** The phase after an event. An event that does not fit the phase, such as late progress, changes nothing. */
export function nextPhase(phase: Phase, event: PhaseEvent): Phase {
  switch (event.type) {
    case "unsupported":
      return { kind: "unsupported", failure: event.failure };
    case "start":
      return isIdle(phase) ? { kind: "loading", fraction: 0 } : phase;
    case "pause":
      return phase.kind === "downloading" ? { kind: "paused", loaded: phase.loaded, total: phase.total } : phase;
    case "empty":
      return phase.kind === "unsupported" ? phase : { kind: "empty", ...note(event.note) };
    case "ready":
      return isStarting(phase) || phase.kind === "running" ? { kind: "ready", ...note(event.note) } : phase;
    case "run":
      return canRun(phase) ? { kind: "running", ahead: 0, evaluated: 0, total: 0 } : phase;
    case "fail":
      if (phase.kind === "running") return { kind: "failed", during: "run", failure: event.failure };
      return isStarting(phase) ? { kind: "failed", during: "start", failure: event.failure } : phase;
    case "progress":
      return afterProgress(phase, event.progress);
  }
}

/** Whether the engine is on its way up. */
export function isStarting(phase: Phase): boolean {
  return phase.kind === "downloading" || phase.kind === "verifying" || phase.kind === "loading";
}

/** Whether a decision can be asked for. A failed one does not stop the next: the engine restarts. */
export function canRun(phase: Phase): boolean {
  return phase.kind === "ready" || (phase.kind === "failed" && phase.during === "run");
}

/** Whether a model can be started or exchanged. */
export function isIdle(phase: Phase): boolean {
  return phase.kind === "empty" || phase.kind === "paused" || phase.kind === "ready" || phase.kind === "failed";
}

function afterProgress(phase: Phase, progress: Progress): Phase {
  if (isStarting(phase)) {
    switch (progress.phase) {
      case "download":
        return {
          kind: "downloading",
          loaded: progress.loaded,
          total: progress.total,
          bytesPerSecond: progress.bytesPerSecond,
        };
      case "verify":
        return { kind: "verifying", loaded: progress.loaded, total: progress.total };
      case "load":
        return { kind: "loading", fraction: progress.fraction };
      default:
        return phase;
    }
  }
  if (phase.kind !== "running") return phase;
  if (progress.phase === "queue") return { ...phase, ahead: progress.ahead };
  if (progress.phase === "evaluate") {
    return { kind: "running", ahead: 0, evaluated: progress.evaluatedTokens, total: progress.totalTokens };
  }
  return phase;
}

function note(text: string | undefined): { note?: string } {
  return text === undefined ? {} : { note: text };
}
