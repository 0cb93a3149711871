import type { Action, Answer, OptionProbability } from "@optio/core";
import { wholePercent } from "./whole-percent.js";

/** Points of probability under which two options are called close. */
const closeCall = 0.1;

export const actionWords: Readonly<Record<Action, string>> = {
  accept: "Accepted",
  review: "Please check",
  escalate: "For a specialist",
};

/** The answer as a sentence without the words of the field: `No, 83 %`. */
export function answerWords(answer: Answer): string {
  switch (answer.type) {
    case "choice":
      return `${answer.choice}, ${wholePercent(highest(answer.distribution))}${closeWords(answer.distribution)}`;
    case "noul":
      return answer.value ? `Yes, ${wholePercent(answer.noul)}` : `No, ${wholePercent(1 - answer.noul)}`;
    case "score":
      return scoreWords(answer.score, answer.legend, answer.distribution.length);
  }
}

/** The option as a person reads it: yes and no for a yes/no question, the level's own text for a score. */
export function optionWords(answer: Answer, option: string): string {
  if (answer.type === "noul") return option === "true" ? "yes" : "no";
  if (answer.type === "score")
    return answer.legend[option] === undefined ? option : `${option}  ${answer.legend[option]}`;
  return option;
}

/** The option that the answer names. */
export function winningOption(answer: Answer): string {
  if (answer.type === "choice") return answer.choice;
  if (answer.type === "noul") return String(answer.value);
  return String(answer.level);
}

function highest(distribution: readonly OptionProbability[]): number {
  return Math.max(...distribution.map(({ probability }) => probability));
}

function closeWords(distribution: readonly OptionProbability[]): string {
  const [first, second] = distribution.toSorted((a, b) => b.probability - a.probability);
  if (first === undefined || second === undefined || first.probability - second.probability >= closeCall) return "";
  return `, a close call between ${first.option} and ${second.option}`;
}

function scoreWords(score: number, legend: Readonly<Record<string, string>>, levels: number): string {
  const value = `${score.toFixed(1)} of ${levels - 1}`;
  const text = (level: number) => legend[String(level)] ?? String(level);
  const nearest = Math.round(score);
  if (Math.abs(score - nearest) < 0.05) return `${value}, ${text(nearest)}`;
  return `${value}, between ${text(Math.floor(score))} and ${text(Math.ceil(score))}`;
}
