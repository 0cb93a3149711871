import { describe, expect, it } from "vitest";
import { parseTaskLine } from "./jsonl-tasks.js";
import { isBadRow, type Task } from "./task.js";

const choiceTask = {
  id: "intent-1",
  family: "intent",
  state: "Please return the duplicate charge.",
  question: {
    type: "choice",
    instructions: "Select the requested action.",
    criteria: { cancel: "End a subscription", other: null, refund: "Return money" },
  },
  labels: ["refund", "cancel", "other"],
  expected: "refund",
};
const noulTask = {
  state: "A customer has no receipt.",
  question: {
    type: "noul",
    instructions: "Is it permitted?",
    criteria: { false: "A condition is missing.", true: "All are met." },
  },
  labels: ["no", "yes"],
  expected: "no",
};
const scoreTask = {
  id: 7,
  state: { icon: "misaligned" },
  question: { type: "score", instructions: "Rate the impact.", criteria: ["cosmetic", "workaround", "blocked"] },
  labels: ["0", "1", "2"],
  expected: 0,
};

function parse(value: unknown): ReturnType<typeof parseTaskLine> {
  return parseTaskLine({ number: 3, text: typeof value === "string" ? value : JSON.stringify(value) });
}

function task(value: unknown): Task {
  const row = parse(value);
  if (isBadRow(row)) throw row.error;
  return row;
}

describe("parseTaskLine", () => {
  it("gives a choice its options in the order of the labels", () => {
    const { id, family, line, expected, question } = task(choiceTask);
    expect({ id, family, line, expected }).toEqual({ id: "intent-1", family: "intent", line: 3, expected: "refund" });
    expect(question.options).toEqual([
      { key: "refund", description: "Return money" },
      { key: "cancel", description: "End a subscription" },
      { key: "other" },
    ]);
  });

  it("keeps integer-like labels in their order", () => {
    const question = { type: "choice", instructions: "Which?", criteria: { "1": "one", "2": "two" } };
    const options = task({ state: "x", question, labels: ["2", "1"], expected: 1 }).question.options;
    expect(options.map(({ key }) => key)).toEqual(["2", "1"]);
  });

  it("maps the labels yes and no to the criteria true and false", () => {
    const { question, expected, id, family } = task(noulTask);
    expect({ expected, id, family }).toEqual({ expected: "false", id: "line-3", family: "all" });
    expect(question.wire).toEqual({
      type: "noul",
      instructions: "Is it permitted?",
      criteria: { true: "All are met.", false: "A condition is missing." },
    });
    expect(task({ ...noulTask, expected: "Yes" }).expected).toBe("true");
    expect(task({ ...noulTask, expected: true }).expected).toBe("true");
  });

  it("reads a score with its expected level as a number", () => {
    const { question, expected, state, id } = task(scoreTask);
    expect({ expected, state, id }).toEqual({ expected: "0", state: { icon: "misaligned" }, id: "7" });
    expect(question.type).toBe("score");
    expect(question.options).toHaveLength(3);
  });

  it.each([
    ["no JSON", "{", undefined, "invalid_state", "Line 3 is not JSON"],
    ["no question", { id: "a", state: "x", expected: "y" }, "a", "invalid_question", "question:"],
    [
      "an unknown type",
      { ...choiceTask, question: { ...choiceTask.question, type: "rank" } },
      "intent-1",
      "invalid_question",
      "question.type",
    ],
    [
      "an expected answer that is no option",
      { ...choiceTask, expected: "renew" },
      "intent-1",
      "invalid_question",
      'expected is "renew"',
    ],
    ["a level out of range", { ...scoreTask, expected: 3 }, "7", "invalid_question", 'expected is "3"'],
    [
      "labels without a criterion",
      { ...choiceTask, labels: ["refund", "cancel", "others"] },
      "intent-1",
      "invalid_options",
      "differ",
    ],
    [
      "labels that repeat",
      { ...choiceTask, labels: ["refund", "cancel", "other", "other"] },
      "intent-1",
      "invalid_options",
      "differ",
    ],
    [
      "integer-like options without labels",
      {
        state: "x",
        question: { type: "choice", instructions: "Which?", criteria: { "2": null, "1": null } },
        expected: "1",
      },
      undefined,
      "ambiguous_option_order",
      "no labels",
    ],
  ])("reports %s with the line and its id", (_, value, id, code, message) => {
    const row = parse(value);
    expect(row).toMatchObject({ line: 3, error: { code, message: expect.stringContaining(message) } });
    expect("id" in row ? row.id : undefined).toBe(id);
  });
});
