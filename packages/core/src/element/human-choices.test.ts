import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { choice } from "../questions/choice.js";
import { noul } from "../questions/noul.js";
import type { Action, Answer } from "../questions/question.js";
import type { NamedAnswer, RunResult } from "./decision-run.js";
import { HumanChoices } from "./human-choices.js";

const asked = { team: choice("Which team?", ["billing", "technical"]), angry: noul("Angry?") };
const answers: NamedAnswer[] = Object.entries(asked).map(([id, question]) => ({
  id,
  question,
  answer: { ...question.toAnswer([0.8, 0.2]), confidence: 0.6, confidenceFormula: "margin" } as Answer,
}));
const result = { answers } as unknown as RunResult;
const always = (action: Action) => () => action;

describe("choices", () => {
  it("settle by themselves what is accepted", () => {
    const choices = new HumanChoices(result, always("accept"), 0);
    expect(choices.open).toEqual([]);
    expect(choices.all).toEqual({
      team: { option: "billing", by: "model" },
      angry: { option: "true", by: "model" },
    });
  });

  it("wait for a person otherwise", () => {
    const choices = new HumanChoices(result, (id) => (id === "team" ? "review" : "accept"), 0);
    expect(choices.open).toEqual(["team"]);
    expect(choices.all).toBeUndefined();
    choices.choose("team", "technical");
    expect(choices.all?.["team"]).toEqual({ option: "technical", by: "person" });
  });

  it("have a sample of what is accepted looked at all the same", () => {
    const draws = [0.01, 0.9];
    const choices = new HumanChoices(result, always("accept"), 0.05, () => draws.shift() ?? 1);
    expect(choices.open).toEqual(["team"]);
    expect(choices.isAudit("team")).toBe(true);
    choices.choose("team", "billing");
    expect(choices.isAudit("team")).toBe(false);
    expect(choices.open).toEqual([]);
  });

  it("follow a threshold that moves", () => {
    let action: Action = "accept";
    const choices = new HumanChoices(result, () => action, 0);
    expect(choices.open).toEqual([]);
    action = "review";
    expect(choices.open).toEqual(["team", "angry"]);
  });

  it("are taken back one by one, up to twenty", () => {
    const choices = new HumanChoices(result, always("review"), 0);
    expect(choices.undo()).toBeUndefined();
    for (let step = 0; step < 25; step++) choices.choose("team", step % 2 === 0 ? "billing" : "technical");
    let undone = 0;
    while (choices.canUndo) {
      expect(choices.undo()).toBe("team");
      undone++;
    }
    expect(undone).toBe(20);
  });

  it("are the same after any choices and as many steps back", () => {
    const step = fc.record({ id: fc.constantFrom("team", "angry"), option: fc.constantFrom("a", "b") });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const choices = new HumanChoices(result, always("review"), 0);
        for (const { id, option } of steps) choices.choose(id, option);
        for (const _ of steps) choices.undo();
        expect(choices.open).toEqual(["team", "angry"]);
        expect(choices.canUndo).toBe(false);
      }),
    );
  });
});
