import { describe, expect, it } from "vitest";
import { choice } from "../questions/choice.js";
import { noul } from "../questions/noul.js";
import type { Answer } from "../questions/question.js";
import { score } from "../questions/score.js";
import { answeredOption } from "../results/result-row.js";
import { cautions, headline, optionLabel } from "./answer-words.js";
import { english } from "./words/en.js";
import { french } from "./words/fr.js";

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
    expect(headline(answered(team, [0.2, 0.8]), english)).toBe("technical, 80%");
  });

  it("names the side of a yes/no answer, with that side's probability", () => {
    expect(headline(answered(angry, [0.17, 0.83]), english)).toBe("No, 83%");
    expect(headline(answered(angry, [0.6, 0.4]), english)).toBe("Yes, 60%");
  });

  it("places a score between two levels, or on one", () => {
    expect(headline(answered(urgency, [0.1, 0.5, 0.4]), english)).toBe("1.3 of 2, between “normal” and “urgent”");
    expect(headline(answered(urgency, [0, 0, 1]), english)).toBe("2.0 of 2, urgent");
  });
});

describe("headline in another language", () => {
  it("writes numbers and sides that language's way", () => {
    expect(headline(answered(angry, [0.17, 0.83]), french)).toMatch(/^Non, 83\s%$/);
    expect(headline(answered(urgency, [0.1, 0.5, 0.4]), french)).toBe("1,3 sur 2, entre « normal » et « urgent »");
  });
});

describe("answeredOption", () => {
  it("is the option that the headline is about", () => {
    expect(answeredOption(answered(team, [0.2, 0.8]))).toBe("technical");
    expect(answeredOption(answered(angry, [0.17, 0.83]))).toBe("false");
    expect(answeredOption(answered(urgency, [0.1, 0.5, 0.4]))).toBe("1");
  });
});

describe("cautions", () => {
  it("has none about a clear answer", () => {
    expect(cautions(answered(team, [0.2, 0.8]), letter, english)).toEqual([]);
  });

  it("calls a difference of less than ten points close, and names both options", () => {
    expect(cautions(answered(angry, [0.52, 0.48]), letter, english)).toEqual(["Close call between Yes and No."]);
    expect(cautions(answered(urgency, [0.3, 0.36, 0.34]), letter, english)).toEqual([
      "Close call between normal and urgent.",
    ]);
  });

  it("says when the model wanted to say something else", () => {
    expect(cautions(answered(team, [0.1, 0.9], 0.05), letter, english)[0]).toContain("did not really answer");
    expect(cautions(answered(team, [0.1, 0.9], 0.05), { ...letter, kind: "sequence" }, english)).toEqual([]);
  });
});

describe("optionLabel", () => {
  it("shows a score's level by its text", () => {
    expect(optionLabel(answered(urgency, [0.1, 0.5, 0.4]), "2", english)).toBe("urgent");
  });
});
