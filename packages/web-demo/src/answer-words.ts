import { type Answer, isLowLabelMass, type Readout } from "@optio/core";
import { percent } from "./words.js";

/** Under this distance between the first two options the answer is called close. */
const closeCall = 0.1;

/** The answer in one sentence for someone who knows nothing of models. */
export function headline(answer: Answer): string {
  switch (answer.type) {
    case "choice":
      return `${answer.choice}, ${percent(answer.probabilities[answer.choice] ?? 0)}`;
    case "noul":
      return answer.value ? `Yes, ${percent(answer.noul)}` : `No, ${percent(1 - answer.noul)}`;
    case "score":
      return `${scoreText(answer.score)} of ${answer.distribution.length - 1}, ${nearestLevels(answer)}`;
  }
}

/** What a reader should know before trusting the answer; none is the normal case. */
export function cautions(answer: Answer, readout: Readout | null): readonly string[] {
  const found: string[] = [];
  if (isLowLabelMass(answer.labelMass, readout)) {
    found.push("The model did not really answer: most of its weight went to other words.");
  }
  const [first, second] = [...answer.distribution].sort((a, b) => b.probability - a.probability);
  if (first !== undefined && second !== undefined && first.probability - second.probability < closeCall) {
    found.push(`Close call between ${optionLabel(answer, first.option)} and ${optionLabel(answer, second.option)}.`);
  }
  return found;
}

/** How an option is called on the page. */
export function optionLabel(answer: Answer, option: string): string {
  if (answer.type === "noul") return option === "true" ? "Yes" : "No";
  return answer.type === "score" ? (answer.legend[option] ?? option) : option;
}

function scoreText(score: number): string {
  return score.toFixed(1);
}

function nearestLevels(answer: Answer & { type: "score" }): string {
  const below = Math.floor(answer.score);
  const name = (level: number): string => optionLabel(answer, String(level));
  // Within a twentieth of a level, naming a second one would claim more than the rounded figure shows.
  const nearest = Math.round(answer.score);
  if (Math.abs(answer.score - nearest) < 0.05) return name(nearest);
  return `between “${name(below)}” and “${name(below + 1)}”`;
}
