import { describe, expect, it } from "vitest";
import type { EngineSource } from "../engines/engine.js";
import { choice } from "../questions/choice.js";
import { noul } from "../questions/noul.js";
import { type FakeEngineSource, fake } from "../testing/fake.js";
import { DecisionRun } from "./decision-run.js";
import type { EngineChoice, ModelOffer } from "./engine-choice.js";
import { ModelSession } from "./model-session.js";

const offer: ModelOffer = { id: "tiny", title: "Tiny", bytes: 100, storedBytes: 0, available: true };
const questions = { team: choice("Which team?", ["billing", "technical"]), angry: noul("Angry?") };

function open(source: EngineSource, more: Partial<EngineChoice> = {}) {
  const kinds: string[] = [];
  const session = new ModelSession({
    firstModel: "tiny",
    unsupported: () => undefined,
    offers: async () => [offer, { ...offer, id: "other" }],
    source: () => source,
    discard: async () => undefined,
    freeBytes: async () => 1_000,
    ...more,
  });
  const note = () => {
    if (kinds.at(-1) !== run.phase.kind) kinds.push(run.phase.kind);
  };
  const run: DecisionRun = new DecisionRun(session, note);
  session.subscribe(note);
  return { session, run, kinds };
}

/** A source whose download never ends by itself. */
function endlessDownload(): EngineSource {
  return {
    kind: "fake",
    start: ({ signal, onProgress }) =>
      new Promise((_, reject) => {
        onProgress?.({ phase: "download", loaded: 40, total: 100, bytesPerSecond: 10 });
        signal?.addEventListener("abort", () => reject(signal.reason));
      }),
  };
}

describe("a session", () => {
  it("starts nothing when it is opened", async () => {
    const source = fake();
    const { session } = open(source);
    await session.open();
    expect(session.offer?.id).toBe("tiny");
    expect(session.freeBytes).toBe(1_000);
    expect(session.phase.kind).toBe("empty");
    expect(source.starts).toBe(0);
  });

  it("says why a start failed, and starts again", async () => {
    let source = fake({ failStartWith: "no_space" });
    const { session } = open(fake(), { source: () => source });
    await session.start();
    expect(session.phase).toMatchObject({ kind: "failed", during: "start", failure: { code: "no_space" } });
    source = fake();
    await session.start();
    expect(session.phase.kind).toBe("ready");
  });

  it("starts without keeping the model where that is asked for", async () => {
    const saves: boolean[] = [];
    const { session } = open(fake(), {
      source: (_, { save }) => {
        saves.push(save);
        return fake();
      },
    });
    await session.start();
    await session.close();
    await session.start({ save: false });
    expect(saves).toEqual([true, false]);
  });

  it("pauses a download and continues it", async () => {
    let source: EngineSource = endlessDownload();
    const { session } = open(fake(), { source: () => source });
    const starting = session.start();
    await expect.poll(() => session.phase.kind).toBe("downloading");
    session.pause();
    expect(session.phase).toEqual({ kind: "paused", loaded: 40, total: 100 });
    await starting;
    expect(session.phase.kind).toBe("paused");
    source = fake();
    await session.start();
    expect(session.phase.kind).toBe("ready");
  });

  it("deletes what arrived of a cancelled download", async () => {
    const discarded: string[] = [];
    const { session } = open(endlessDownload(), { discard: async (id) => void discarded.push(id) });
    void session.start();
    await expect.poll(() => session.phase.kind).toBe("downloading");
    await session.discard();
    expect(session.phase.kind).toBe("empty");
    expect(discarded).toEqual(["tiny"]);
  });

  it("says what went wrong with deleting, and stays usable", async () => {
    const { session } = open(fake(), { discard: () => Promise.reject(new TypeError("busy")) });
    await session.discard();
    expect(session.phase).toMatchObject({ kind: "empty", failure: { message: "busy" } });
    await session.start();
    expect(session.phase.kind).toBe("ready");
  });

  it("starts once when asked twice", async () => {
    const source = fake();
    const { session } = open(source);
    await Promise.all([session.start(), session.start()]);
    expect(source.starts).toBe(1);
  });

  it("lets the engine go when another model is chosen", async () => {
    const { session } = open(fake());
    await session.start();
    await session.choose("other");
    expect(session.modelId).toBe("other");
    expect(session.phase).toEqual({ kind: "empty" });
    expect(session.info).toBeUndefined();
  });

  it("tells all who share it", async () => {
    const { session } = open(fake());
    let heard = 0;
    const end = session.subscribe(() => heard++);
    await session.start();
    expect(heard).toBeGreaterThan(0);
    end();
    heard = 0;
    await session.close();
    expect(heard).toBe(0);
  });
});

describe("a session without a browser that can", () => {
  const failure = { code: "engine_unavailable", message: "No SIMD.", hint: "Update." };

  it("stays unsupported whatever is pressed", async () => {
    const { session } = open(fake(), { unsupported: () => failure });
    await session.open();
    await session.start();
    expect(session.phase).toEqual({ kind: "unsupported", failure });
  });

  it("asks the bridge where there is one, and says so", async () => {
    const bridge: EngineSource = { ...fake({ answers: { team: "billing" } }), destination: "bridge.example" };
    const { session, run } = open(fake(), { unsupported: () => failure, bridge });
    await session.open();
    expect(session.phase).toEqual({ kind: "ready", destination: "bridge.example" });
    const result = await run.run({ state: "Text.", questions });
    expect(result?.answers[0]?.answer).toMatchObject({ choice: "billing" });
  });
});

describe("a session with a bridge", () => {
  it("falls back to it, and the receipt says so", async () => {
    const bridge: EngineSource = { ...fake(), destination: "bridge.example" };
    const { session, run } = open(fake({ failWith: "engine_crashed" }), { bridge });
    await session.start();
    const result = await run.run({ state: "Text.", questions });
    expect(result?.decision.receipt.attempts.map(({ outcome }) => outcome)).toEqual(["failed", "answered"]);
  });

  it("is used instead where the user wants that, without a download", async () => {
    const local: FakeEngineSource = fake();
    const { session, run } = open(local, { bridge: { ...fake(), destination: "bridge.example" } });
    await session.open();
    expect(session.bridge).toBe("bridge.example");
    session.useBridge();
    await run.run({ state: "Text.", questions });
    expect(local.starts).toBe(0);
  });
});

describe("a run", () => {
  it("decides, and keeps the questions' order in the result", async () => {
    const { session, run, kinds } = open(fake({ answers: { team: "technical" } }));
    await session.start();
    const result = await run.run({ state: "The app crashes.", questions });
    expect(kinds).toEqual(["loading", "ready", "running", "ready"]);
    expect(result?.answers.map(({ id }) => id)).toEqual(["team", "angry"]);
    expect(run.result?.answers[0]?.answer).toMatchObject({ type: "choice", choice: "technical" });
  });

  it("is stopped and stays ready", async () => {
    const { session, run } = open(fake({ delayMs: 60_000 }));
    await session.start();
    const running = run.run({ state: "Text.", questions });
    run.abort();
    expect(await running).toBeUndefined();
    expect(run.phase).toEqual({ kind: "ready", stopped: true });
    expect(run.result).toBeUndefined();
  });

  it("keeps the last answers when a decision fails, and decides again afterwards", async () => {
    const { session, run } = open(fake({ failWith: (call) => (call === 2 ? "engine_crashed" : undefined) }));
    await session.start();
    await run.run({ state: "First.", questions });
    await expect(run.run({ state: "Second.", questions })).rejects.toMatchObject({ code: "engine_crashed" });
    expect(run.phase).toMatchObject({ kind: "failed", during: "run", failure: { code: "engine_crashed" } });
    expect(run.result?.asked.state).toBe("First.");
    await run.run({ state: "Third.", questions });
    expect(run.phase.kind).toBe("ready");
    expect(run.result?.asked.state).toBe("Third.");
  });

  it("does not show one user's decision to another", async () => {
    const { session, run } = open(fake({ delayMs: 60_000 }));
    await session.start();
    const other = new DecisionRun(session, () => undefined);
    const running = run.run({ state: "Text.", questions });
    expect(run.phase.kind).toBe("running");
    expect(other.phase.kind).toBe("ready");
    run.abort();
    await running;
  });

  it("is refused before anything is ready", async () => {
    const { run } = open(fake());
    await expect(run.run({ state: "Text.", questions })).rejects.toMatchObject({ code: "engine_closed" });
  });
});
