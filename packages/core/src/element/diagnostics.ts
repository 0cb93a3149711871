import { optioVersion } from "../version.js";
import type { RunResult } from "./decision-run.js";
import type { ModelSession } from "./model-session.js";
import type { Phase } from "./phase.js";

/** What helps to find a fault, as JSON: versions, flags and error codes, and nothing that a user wrote. */
export function diagnostics(session: ModelSession, phase: Phase, result: RunResult | undefined): string {
  const { offer, info, freeBytes, modelId } = session;
  const facts = {
    optio: optioVersion,
    phase: phase.kind,
    error: "failure" in phase ? (phase.failure?.code ?? null) : null,
    model: { id: modelId, bytes: offer?.bytes ?? null, storedBytes: offer?.storedBytes ?? null },
    engine: info === undefined ? null : { kind: info.kind, backend: info.backend, threads: info.threads ?? null },
    receipt: result?.decision.receipt ?? null,
    timings: result?.decision.timings ?? null,
    freeBytes: freeBytes ?? null,
    browser: navigator.userAgent,
    isolated: globalThis.crossOriginIsolated ?? false,
    sharedMemory: typeof SharedArrayBuffer === "function",
    processors: navigator.hardwareConcurrency ?? null,
    online: navigator.onLine,
  };
  return JSON.stringify(facts, undefined, 2);
}
