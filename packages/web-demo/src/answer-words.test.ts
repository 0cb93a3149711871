import { type Answer, choice, noul, score } from "@optio/core";
import { describe, expect, it } from "vitest";
import { cautions, headline, optionLabel } from "./answer-words.js";

function answered(
  question: { toAnswer(probabilities: readonly number[]): object },
  probabilities: readonly number[],
  labelMass = 0.9,
): Answer {
  return { ...question.toAnswer(probabilities), confidence: 0.5, confidenceFormula: "margin", labelMass } as Answer;
}

const letter = { kind: "letter", orders: 1, prior: false, length: "total" } as const;
const team = choice("Which team?", ["billing", "technical"]);
const urgency = score("How urgent?", ["low", "normal", "urgent"]);
const angry = noul("Angry?");

describe("headline", () => {
  it("names the chosen option", () => {
    expect(headline(answered(team, [0.2, 0.8]))).toBe("technical, 80 %");
  });

  it("names the side of a yes/no answer, with that side's probability", () => {
    expect(headline(answered(angry, [0.17, 0.83]))).toBe("No, 83 %");
    expect(headline(answered(angry, [0.6, 0.4]))).toBe("Yes, 60 %");
  });

  it("places a score between two levels, or on one", () => {
    expect(headline(answered(urgency, [0.1, 0.5, 0.4]))).toBe("1.3 of 2, between “normal” and “urgent”");
    expect(headline(answered(urgency, [0, 0, 1]))).toBe("2.0 of 2, urgent");
  });
});

describe("cautions", () => {
  it("has none about a clear answer", () => {
    expect(cautions(answered(team, [0.2, 0.8]), letter)).toEqual([]);
  });

  it("calls a difference of less than ten points close, and names both options", () => {
    expect(cautions(answered(angry, [0.52, 0.48]), letter)).toEqual(["Close call between Yes and No."]);
    expect(cautions(answered(urgency, [0.3, 0.36, 0.34]), letter)).toEqual(["Close call between normal and urgent."]);
  });

  it("says when the model wanted to say something else", () => {
    expect(cautions(answered(team, [0.1, 0.9], 0.05), letter)[0]).toContain("did not really answer");
    expect(cautions(answered(team, [0.1, 0.9], 0.05), { ...letter, kind: "sequence" })).toEqual([]);
  });
});

describe("optionLabel", () => {
  it("shows a score's level by its text", () => {
    expect(optionLabel(answered(urgency, [0.1, 0.5, 0.4]), "2")).toBe("urgent");
  });
});
