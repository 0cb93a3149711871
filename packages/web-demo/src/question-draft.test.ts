import { describe, expect, it } from "vitest";
import { exampleQuestions } from "./example.js";
import { type QuestionDraft, readDraft, readDrafts } from "./question-draft.js";

const draft = (fields: Partial<QuestionDraft>): QuestionDraft => ({
  key: 1,
  name: "q",
  type: "choice",
  instructions: "Which?",
  options: "a\nb",
  ...fields,
});

describe("readDraft", () => {
  it("takes the text before the first colon as an option's name, and the rest as its meaning", () => {
    const question = readDraft(draft({ options: " billing : charges: all kinds \n\nother\nlast:" }));
    expect(question.wire).toEqual({
      type: "choice",
      instructions: "Which?",
      criteria: [
        ["billing", "charges: all kinds"],
        ["other", null],
        ["last", null],
      ],
    });
  });

  it("keeps the author's order of options that look like numbers", () => {
    const question = readDraft(draft({ options: "10: ten\n2: two" }));
    expect(question.options.map(({ key }) => key)).toEqual(["10", "2"]);
  });

  it("reads the two sides of a yes/no question in any order, or none", () => {
    const both = readDraft(draft({ type: "noul", options: "No: fine\nyes: angry" }));
    expect(both.wire).toMatchObject({ criteria: { true: "angry", false: "fine" } });
    expect(readDraft(draft({ type: "noul", options: "" })).wire).not.toHaveProperty("criteria");
  });

  it("refuses other lines in a yes/no question", () => {
    expect(() => readDraft(draft({ type: "noul", options: "maybe: unclear" }))).toThrow(/maybe: unclear/);
  });

  it("reads a level from each line of a score, colons included", () => {
    expect(readDraft(draft({ type: "score", options: "low: can wait\nhigh" })).wire).toMatchObject({
      criteria: ["low: can wait", "high"],
    });
  });
});

describe("readDrafts", () => {
  it("reads the example of the page, in its order", () => {
    const read = readDrafts(exampleQuestions);
    expect("questions" in read && read.questions.map(({ name }) => name)).toEqual(["team", "leaving", "urgency"]);
  });

  it("says what is wrong with each draft", () => {
    const read = readDrafts([
      draft({ key: 1 }),
      draft({ key: 2, instructions: " " }),
      draft({ key: 3, name: "r", options: "only" }),
    ]);
    if (!("problems" in read)) throw new TypeError("problems were expected");
    expect([...read.problems.keys()]).toEqual([2, 3]);
  });
});
