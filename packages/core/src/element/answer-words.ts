import type { Readout } from "../engines/engine.js";
import type { Answer } from "../questions/question.js";
import { isLowLabelMass } from "../trust/label-mass.js";
import { formatsFor } from "./formats.js";
import type { Words } from "./words/words.js";

/** Under this distance between the first two options the answer is called close. */
const closeCall = 0.1;

/** The answer in one sentence for someone who knows nothing of models. */
export function headline(answer: Answer, words: Words): string {
  const { percent, decimal, whole } = formatsFor(words.language);
  switch (answer.type) {
    case "choice":
      return words.answers.sure(answer.choice, percent(answer.probabilities[answer.choice] ?? 0));
    case "noul":
      return answer.value
        ? words.answers.sure(words.yes, percent(answer.noul))
        : words.answers.sure(words.no, percent(1 - answer.noul));
    case "score": {
      const top = whole(answer.distribution.length - 1);
      return words.answers.level(decimal(answer.score), top, nearestLevels(answer, words));
    }
  }
}

/** What a reader should know before trusting the answer; none is the normal case. */
export function cautions(answer: Answer, readout: Readout | null, words: Words): readonly string[] {
  const found: string[] = [];
  if (isLowLabelMass(answer.labelMass, readout)) found.push(words.answers.noAnswer);
  const [first, second] = answer.distribution.toSorted((a, b) => b.probability - a.probability);
  if (first !== undefined && second !== undefined && first.probability - second.probability < closeCall) {
    found.push(
      words.answers.close(optionLabel(answer, first.option, words), optionLabel(answer, second.option, words)),
    );
  }
  return found;
}

/** How an option is called on the page. */
export function optionLabel(answer: Answer, option: string, words: Pick<Words, "yes" | "no">): string {
  if (answer.type === "noul") return option === "true" ? words.yes : words.no;
  return answer.type === "score" ? (answer.legend[option] ?? option) : option;
}

function nearestLevels(answer: Answer & { type: "score" }, words: Words): string {
  const below = Math.floor(answer.score);
  const name = (level: number): string => optionLabel(answer, String(level), words);
  // Within a twentieth of a level, naming a second one would claim more than the rounded figure shows.
  const nearest = Math.round(answer.score);
  if (Math.abs(answer.score - nearest) < 0.05) return name(nearest);
  return words.answers.between(name(below), name(below + 1));
}
