import { choice, noul, type Question, score } from "@optio/core";
import { describe, expect, it } from "vitest";
import { answerWords, optionWords, winningOption } from "./answer-words.js";

const team = choice("Which team?", ["billing", "technical", "other"]);
const angry = noul("Is the customer angry?");
const urgency = score("How urgent?", ["can wait", "this week", "today"]);

function answer(question: Question, probabilities: readonly number[]) {
  return { ...question.toAnswer(probabilities), confidence: 0.5, confidenceFormula: "scaled-max" as const };
}

describe("answerWords", () => {
  it.each([
    ["the option", team, [0.8, 0.15, 0.05], "billing, 80 %"],
    [
      "a close call by both names",
      team,
      [0.41, 0.5, 0.09],
      "technical, 50 %, a close call between technical and billing",
    ],
    ["the side of a yes", angry, [0.83, 0.17], "Yes, 83 %"],
    ["the side of a no", angry, [0.17, 0.83], "No, 83 %"],
    ["no certainty", angry, [1, 0], "Yes, > 99 %"],
    ["a score between two levels", urgency, [0.1, 0.2, 0.7], "1.6 of 2, between this week and today"],
    ["a score on a level", urgency, [0.01, 0.98, 0.01], "1.0 of 2, this week"],
  ])("names %s", (_, question: Question, probabilities, words) => {
    expect(answerWords(answer(question, probabilities))).toBe(words);
  });

  it("uses none of the field's own words", () => {
    const all = [answer(team, [0.4, 0.4, 0.2]), answer(angry, [0.2, 0.8]), answer(urgency, [0.2, 0.3, 0.5])].map(
      answerWords,
    );
    expect(all.join(" ")).not.toMatch(/logit|softmax|entropy|token|calibrat|noul|accura/iu);
  });
});

describe("optionWords and winningOption", () => {
  it("speak as the question does", () => {
    const yesNo = answer(angry, [0.2, 0.8]);
    expect(yesNo.distribution.map(({ option }) => optionWords(yesNo, option))).toEqual(["yes", "no"]);
    expect(winningOption(yesNo)).toBe("false");
    const level = answer(urgency, [0.1, 0.2, 0.7]);
    expect(level.distribution.map(({ option }) => optionWords(level, option))).toEqual([
      "0  can wait",
      "1  this week",
      "2  today",
    ]);
    expect(winningOption(level)).toBe("2");
    const option = answer(team, [0.1, 0.2, 0.7]);
    expect(optionWords(option, "other")).toBe("other");
    expect(winningOption(option)).toBe("other");
  });
});
