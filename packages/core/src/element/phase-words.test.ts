import { describe, expect, it } from "vitest";
import type { ModelOffer } from "./engine-choice.js";
import type { Phase } from "./phase.js";
import { phaseButtons } from "./phase-buttons.js";
import { announcement, phaseText } from "./phase-words.js";
import { english } from "./words/en.js";
import { french } from "./words/fr.js";

const offer: ModelOffer = {
  id: "tiny",
  title: "Tiny",
  bytes: 98e6,
  licence: "MIT",
  storedBytes: 0,
  available: true,
};
const failure = { code: "no_space", message: "It does not fit", hint: "Delete something." };
const phases: readonly Phase[] = [
  { kind: "unsupported", failure },
  { kind: "empty" },
  { kind: "downloading", loaded: 49e6, total: 98e6, bytesPerSecond: 7e6 },
  { kind: "stalled", loaded: 49e6, total: 98e6 },
  { kind: "paused", loaded: 49e6, total: 98e6 },
  { kind: "verifying", loaded: 49e6, total: 98e6 },
  { kind: "loading", fraction: 0.5 },
  { kind: "ready" },
  { kind: "ready", destination: "bridge.example" },
  { kind: "running", ahead: 0, evaluated: 5, total: 10 },
  { kind: "failed", during: "start", failure },
  { kind: "failed", during: "run", failure: { ...failure, code: "engine_crashed" } },
];
const context = { offer, freeBytes: 1e9, bridge: undefined };
const of = (phase: Phase, more: Partial<typeof context> = {}) => phaseText(phase, { ...context, ...more }, english);

describe.each([english, french])("the words of every phase ($language)", (words) => {
  it.each(phases)("name it, its cause and one main action: $kind", (phase) => {
    const { title, cause } = phaseText(phase, context, words);
    expect(title).toMatch(/^\p{Lu}/u);
    expect(cause).toMatch(/[.!?…]$/u);
    const [main] = phaseButtons(phase, context, words);
    expect(main.label).toMatch(/^\p{Lu}/u);
    expect(announcement(phase, context, words)).toContain(title);
  });
});

describe("the words of a phase", () => {
  it("state size, licence and origin before anything is downloaded", () => {
    expect(of({ kind: "empty" }).cause).toContain("98 MB from this page's own server, licence MIT");
    const elsewhere = { ...offer, origin: "models.example" };
    expect(of({ kind: "empty" }, { offer: elsewhere }).cause).toContain("98 MB from models.example");
  });

  it("say that it does not fit, and offer to use it without saving", () => {
    expect(of({ kind: "empty" }, { freeBytes: 50e6 }).cause).toContain("It needs 98 MB, and this browser has 50 MB");
    const actions = phaseButtons({ kind: "empty" }, { ...context, freeBytes: 50e6 }, english).map((b) => b.action);
    expect(actions).toEqual(["start", "unsaved"]);
  });

  it("say how fast and how long, until nothing comes", () => {
    const downloading = of({ kind: "downloading", loaded: 49e6, total: 98e6, bytesPerSecond: 7e6 });
    expect(downloading).toMatchObject({ cause: "49 MB of 98 MB, 7 MB a second, about 7 sec left.", progress: 0.5 });
    expect(of({ kind: "stalled", loaded: 49e6, total: 98e6 }).cause).toContain("goes on by itself");
  });

  it("announce quarters, not every step", () => {
    const said = [0.3, 0.4, 0.51].map((fraction) => announcement({ kind: "loading", fraction }, context, english));
    expect(said).toEqual(["Loading the model, 25%.", "Loading the model, 25%.", "Loading the model, 50%."]);
  });

  it("offer what loses or sends something apart from the main button", () => {
    const actionsOf = (phase: Phase, bridge?: string) =>
      phaseButtons(phase, { ...context, bridge: bridge as undefined }, english).map(({ action }) => action);
    expect(actionsOf({ kind: "downloading", loaded: 1, total: 2, bytesPerSecond: 1 })).toEqual(["pause", "discard"]);
    expect(actionsOf({ kind: "empty" }, "bridge.example")).toEqual(["start", "bridge"]);
    expect(actionsOf({ kind: "failed", during: "start", failure })).toEqual(["start", "unsaved", "diagnostics"]);
    expect(actionsOf({ kind: "failed", during: "run", failure })).toContain("run");
  });
});
