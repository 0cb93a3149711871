import { describe, expect, it } from "vitest";
import { nextPhase, type Phase, type PhaseEvent } from "./phase.js";

const failure = { code: "engine_crashed", message: "The worker ended.", hint: "Try again." };
const download: PhaseEvent = {
  type: "progress",
  progress: { phase: "download", loaded: 10, total: 100, bytesPerSecond: 5 },
};
const verify: PhaseEvent = { type: "progress", progress: { phase: "verify", loaded: 50, total: 100 } };
const evaluate: PhaseEvent = { type: "progress", progress: { phase: "evaluate", evaluatedTokens: 3, totalTokens: 9 } };

function after(...events: readonly PhaseEvent[]): Phase {
  return events.reduce(nextPhase, { kind: "empty" } as Phase);
}

describe("nextPhase", () => {
  it("goes from a start through download, check and load to ready", () => {
    expect(after({ type: "start" }).kind).toBe("loading");
    expect(after({ type: "start" }, download)).toEqual({
      kind: "downloading",
      loaded: 10,
      total: 100,
      bytesPerSecond: 5,
    });
    expect(after({ type: "start" }, download, verify).kind).toBe("verifying");
    expect(after({ type: "start" }, download, verify, { type: "ready" })).toEqual({ kind: "ready" });
  });

  it("keeps how far a paused download was, and continues it", () => {
    const paused = after({ type: "start" }, download, { type: "pause" });
    expect(paused).toEqual({ kind: "paused", loaded: 10, total: 100 });
    expect(nextPhase(paused, { type: "start" }).kind).toBe("loading");
  });

  it("ignores progress that arrives after the call has ended", () => {
    expect(after({ type: "start" }, download, { type: "pause" }, download).kind).toBe("paused");
    expect(after({ type: "start" }, { type: "ready" }, evaluate)).toEqual({ kind: "ready" });
    expect(after(download)).toEqual({ kind: "empty" });
  });

  it("tells a failed start from a failed decision", () => {
    expect(after({ type: "start" }, { type: "fail", failure })).toMatchObject({ kind: "failed", during: "start" });
    const run = after({ type: "start" }, { type: "ready" }, { type: "run" }, evaluate, { type: "fail", failure });
    expect(run).toEqual({ kind: "failed", during: "run", failure });
  });

  it("allows another decision after a failed one, but not after a failed start", () => {
    expect(nextPhase({ kind: "failed", during: "run", failure }, { type: "run" }).kind).toBe("running");
    expect(nextPhase({ kind: "failed", during: "start", failure }, { type: "run" }).kind).toBe("failed");
  });

  it("starts nothing twice and nothing while a decision runs", () => {
    const running = after({ type: "start" }, { type: "ready" }, { type: "run" });
    expect(nextPhase(running, { type: "start" })).toBe(running);
    expect(nextPhase(running, { type: "run" })).toBe(running);
    const loading = after({ type: "start" });
    expect(nextPhase(loading, { type: "start" })).toBe(loading);
  });
});
