import { describe, expect, it } from "vitest";
import { nextPhase, type Phase, type PhaseEvent, stallMs } from "./phase.js";

const failure = { code: "engine_crashed", message: "The worker ended.", hint: "Try again." };
const download: PhaseEvent = {
  type: "progress",
  progress: { phase: "download", loaded: 10, total: 100, bytesPerSecond: 5 },
};
const verify: PhaseEvent = { type: "progress", progress: { phase: "verify", loaded: 50, total: 100 } };
const evaluate: PhaseEvent = { type: "progress", progress: { phase: "evaluate", evaluatedTokens: 3, totalTokens: 9 } };
const silent: PhaseEvent = { ...download, silentMs: stallMs };

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

  it("calls a download stalled when nothing came for a while, and goes on when something does", () => {
    const stalled = after({ type: "start" }, download, silent);
    expect(stalled).toEqual({ kind: "stalled", loaded: 10, total: 100 });
    expect(nextPhase(stalled, download).kind).toBe("downloading");
    expect(nextPhase(stalled, { type: "pause" })).toEqual({ kind: "paused", loaded: 10, total: 100 });
  });

  it("says where answers come from, when that is not here", () => {
    expect(after({ type: "start" }, { type: "ready", destination: "bridge.example" })).toEqual({
      kind: "ready",
      destination: "bridge.example",
    });
  });

  it("takes a failure for that of a start, and only while there is one", () => {
    expect(after({ type: "start" }, { type: "fail", failure })).toMatchObject({ kind: "failed", during: "start" });
    expect(after({ type: "start" }, { type: "ready" }, { type: "fail", failure })).toEqual({ kind: "ready" });
  });

  it("starts nothing twice", () => {
    const loading = after({ type: "start" });
    expect(nextPhase(loading, { type: "start" })).toBe(loading);
  });

  it("stays unsupported until it is ready by other means", () => {
    const unsupported = after({ type: "unsupported", failure });
    expect(nextPhase(unsupported, { type: "start" })).toBe(unsupported);
    expect(nextPhase(unsupported, { type: "empty" })).toBe(unsupported);
    expect(nextPhase(unsupported, { type: "ready", destination: "bridge.example" }).kind).toBe("ready");
  });
});
