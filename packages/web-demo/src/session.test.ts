import type { EngineSource } from "@optio/core";
import { fake } from "@optio/core/testing";
import { describe, expect, it } from "vitest";
import type { EngineChoice, ModelOffer } from "./engine-choice.js";
import { exampleQuestions } from "./example.js";
import { Session } from "./session.js";

const offer: ModelOffer = { id: "tiny", title: "Tiny", bytes: 100, licence: "MIT", storedBytes: 0, served: true };

function openSession(source: EngineSource, more: Partial<EngineChoice> = {}): { session: Session; kinds: string[] } {
  const kinds: string[] = [];
  const session: Session = new Session(
    {
      firstModel: "tiny",
      unsupported: () => undefined,
      offers: async () => [offer, { ...offer, id: "other" }],
      source: () => source,
      discard: async () => undefined,
      ...more,
    },
    () => {
      if (kinds.at(-1) !== session.phase.kind) kinds.push(session.phase.kind);
    },
  );
  return { session, kinds };
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

describe("Session", () => {
  it("starts nothing when it is opened", async () => {
    const source = fake();
    const { session } = openSession(source);
    await session.open();
    expect(session.offer?.id).toBe("tiny");
    expect(session.phase.kind).toBe("empty");
    expect(source.starts).toBe(0);
  });

  it("loads, decides, and keeps the questions' order in the result", async () => {
    const { session, kinds } = openSession(fake({ answers: { team: "technical" } }));
    await session.start();
    await session.run("The app crashes.", exampleQuestions);
    expect(kinds).toEqual(["loading", "ready", "running", "ready"]);
    expect(session.result?.answers.map(({ name }) => name)).toEqual(["team", "leaving", "urgency"]);
    expect(session.result?.answers[0]?.answer).toMatchObject({ type: "choice", choice: "technical" });
    expect(session.info?.kind).toBe("fake");
  });

  it("shows what is wrong with the questions and asks the engine nothing", async () => {
    const source = fake();
    const { session } = openSession(source);
    await session.start();
    const drafts = exampleQuestions.map((draft) => (draft.key === 1 ? { ...draft, options: "one" } : draft));
    await session.run("Text.", drafts);
    expect([...session.problems.keys()]).toEqual([1]);
    expect(source.calls).toBe(0);
    await session.run("Text.", exampleQuestions);
    expect(session.problems.size).toBe(0);
    expect(source.calls).toBe(1);
  });

  it("stops a decision and stays ready", async () => {
    const { session } = openSession(fake({ delayMs: 60_000 }));
    await session.start();
    const running = session.run("Text.", exampleQuestions);
    session.abort();
    await running;
    expect(session.phase).toEqual({ kind: "ready", note: "Stopped. Nothing was decided." });
    expect(session.result).toBeUndefined();
  });

  it("keeps the last answers when a decision fails, and decides again afterwards", async () => {
    const { session } = openSession(fake({ failWith: (call) => (call === 2 ? "engine_crashed" : undefined) }));
    await session.start();
    await session.run("First.", exampleQuestions);
    await session.run("Second.", exampleQuestions);
    expect(session.phase).toMatchObject({ kind: "failed", during: "run", failure: { code: "engine_crashed" } });
    expect(session.result?.asked.state).toBe("First.");
    await session.run("Third.", exampleQuestions);
    expect(session.phase.kind).toBe("ready");
    expect(session.result?.asked.state).toBe("Third.");
  });

  it("says why a start failed, and starts again", async () => {
    let source = fake({ failStartWith: "no_space" });
    const { session } = openSession(fake(), { source: () => source });
    await session.start();
    expect(session.phase).toMatchObject({ kind: "failed", during: "start", failure: { code: "no_space" } });
    source = fake();
    await session.start();
    expect(session.phase.kind).toBe("ready");
  });

  it("pauses a download and continues it", async () => {
    let source: EngineSource = endlessDownload();
    const { session } = openSession(fake(), { source: () => source });
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
    const { session } = openSession(endlessDownload(), { discard: async (id) => void discarded.push(id) });
    void session.start();
    await expect.poll(() => session.phase.kind).toBe("downloading");
    await session.discard();
    expect(session.phase.kind).toBe("empty");
    expect(discarded).toEqual(["tiny"]);
  });

  it("starts once when asked twice", async () => {
    const source = fake();
    const { session } = openSession(source);
    await Promise.all([session.start(), session.start()]);
    expect(source.starts).toBe(1);
  });

  it("lets the engine go when another model is chosen, but not while one runs", async () => {
    const { session } = openSession(fake({ delayMs: 60_000 }));
    await session.start();
    const running = session.run("Text.", exampleQuestions);
    await session.choose("other");
    expect(session.modelId).toBe("tiny");
    session.abort();
    await running;
    await session.choose("other");
    expect(session.modelId).toBe("other");
    expect(session.phase).toEqual({ kind: "empty" });
    expect(session.info).toBeUndefined();
  });

  it("stays unsupported whatever is pressed", async () => {
    const failure = { code: "engine_unavailable", message: "No SIMD.", hint: "Update." };
    const { session } = openSession(fake(), { unsupported: () => failure });
    await session.open();
    await session.start();
    expect(session.phase).toEqual({ kind: "unsupported", failure });
  });
});
