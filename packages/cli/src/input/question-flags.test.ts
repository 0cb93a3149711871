import { OptioError } from "@optio/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseQuestionFlag } from "./question-flags.js";

describe("parseQuestionFlag", () => {
  it("reads a choice with an id, instructions and options, some of them described", () => {
    expect(
      parseQuestionFlag("choice", "team=Which team? | billing: Invoices and refunds | technical:Bugs | other"),
    ).toEqual({
      type: "choice",
      id: "team",
      instructions: "Which team?",
      options: [
        { key: "billing", description: "Invoices and refunds" },
        { key: "technical", description: "Bugs" },
        { key: "other" },
      ],
    });
  });

  it("reads a yes/no question without an id", () => {
    expect(parseQuestionFlag("noul", "Is it angry?")).toEqual({
      type: "noul",
      instructions: "Is it angry?",
      options: [],
    });
  });

  it("reads the two sides of a yes/no question in any order", () => {
    expect(parseQuestionFlag("noul", "a=Angry? | No: calm | yes: insults").options).toEqual([
      { key: "No", description: "calm" },
      { key: "yes", description: "insults" },
    ]);
  });

  it("keeps the colons of levels, and an equals sign after other words", () => {
    const question = parseQuestionFlag("score", "Is x = 5 urgent? | wait: a week | now: 10:30");
    expect(question.id).toBeUndefined();
    expect(question.instructions).toBe("Is x = 5 urgent?");
    expect(question.options).toEqual([{ key: "wait: a week" }, { key: "now: 10:30" }]);
  });

  it("takes signs after a backslash as they are", () => {
    expect(parseQuestionFlag("choice", String.raw`when=At a\|b? | 10\:30: half past | c:\\d | \n`).options).toEqual([
      { key: "10:30", description: "half past" },
      { key: "c", description: "\\d" },
      { key: String.raw`\n` },
    ]);
  });

  it("keeps integer-like options in the typed order", () => {
    expect(parseQuestionFlag("choice", "n=Which? | 2 | 1").options.map(({ key }) => key)).toEqual(["2", "1"]);
  });

  it.each([
    ["choice", "", "has no instructions"],
    ["choice", "team= | a | b", "has no instructions"],
    ["choice", "team=Which? | a", "has 1 option; it needs 2 or more"],
    ["choice", "team=Which?", "has 0 options"],
    ["choice", "team=Which? | a | | b", "has nothing in part 2"],
    ["score", "u=How? | low", "has 1 level"],
    ["noul", "a=Angry? | perhaps: so", 'the part "perhaps"'],
    ["noul", "a=Angry? | yes", 'says nothing after "yes"'],
    ["noul", "a=Angry? | yes: a | Yes: b", 'describes "Yes" twice'],
  ] as const)("refuses --%s '%s'", (type, text, message) => {
    const error = caught(() => parseQuestionFlag(type, text));
    expect(OptioError.isInstance(error, "invalid_question")).toBe(true);
    expect(error).toMatchObject({
      message: expect.stringContaining(message),
      hint: expect.stringContaining(`--${type} '`),
    });
  });

  it("gives back any instructions and options that were escaped", () => {
    const word = fc.string({ minLength: 1 }).filter((text) => text.trim() === text && text.trim() !== "");
    fc.assert(
      fc.property(
        word,
        fc.array(fc.record({ key: word, description: word }), { minLength: 2, maxLength: 5 }),
        (instructions, options) => {
          const typed = `q=${[
            instructions,
            ...options.map(({ key, description }) => `${withBackslashes(key)}: ${withBackslashes(description)}`),
          ]
            .map((part, index) => (index === 0 ? withBackslashes(part) : part))
            .join(" | ")}`;
          expect(parseQuestionFlag("choice", typed)).toEqual({ type: "choice", id: "q", instructions, options });
        },
      ),
    );
  });
});

function withBackslashes(text: string): string {
  return text.replace(/[|:\\]/gu, "\\$&");
}

function caught(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}
