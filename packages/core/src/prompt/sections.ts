import type { Readout } from "../engines/engine.js";
import { OptioError } from "../errors.js";
import type { Option, Question } from "../questions/question.js";
import { fillIn, type PromptProfile } from "./profile.js";
import { wellFormed } from "./state-text.js";

export function stateSection(profile: PromptProfile, stateText: string): string {
  return fillIn(profile.state, { state: wellFormed(stateText) });
}

/**
 * The question with its options, as a readout wants them written.
 *
 * @param order for each place, the index of the option shown there
 * @param labels for each place, the label to answer with; for the letter readout
 */
export function questionSection(
  profile: PromptProfile,
  kind: Readout["kind"],
  { question, order }: { readonly question: Question; readonly order: readonly number[] },
  labels: readonly string[],
): string {
  const style = profile.option[kind];
  const lines = order.map((index, place) => {
    const option = question.options[index];
    if (option === undefined) throw new OptioError("internal", `There is no option ${index}.`);
    const line = option.description === undefined ? style.bare : style.described;
    return fillIn(line, {
      label: labels[place] ?? "",
      name: shownText(option),
      description: wellFormed(option.description ?? ""),
    });
  });
  return fillIn(profile.question, { instructions: wellFormed(question.instructions), options: lines.join("\n") });
}

export function shownText(option: Option): string {
  return wellFormed(option.text ?? option.key);
}
