import { OptioError } from "../errors.js";
import { checkInstructions, nameOf, optionalDescription } from "./check-text.js";
import { mostProbable, toDistribution } from "./distribution.js";
import { integerLikeKey } from "./integer-like-key.js";
import type { ChoiceAnswer, Option, Question } from "./question.js";

/** Fewest and most options of a choice. */
export const choiceOptionLimits = { least: 2, most: 255 } as const;

/** A key, alone or with what it means; a meaning may be `null`. */
export type ChoiceOption = string | readonly [key: string, description: string | null];

/** The options of a choice: a list in the author's order, or an object key -> description whose keys keep theirs. */
export type ChoiceOptions = readonly ChoiceOption[] | Readonly<Record<string, string | null>>;

/** The keys of the options as literals. */
export type ChoiceKey<O> = O extends readonly (infer E)[]
  ? E extends readonly [infer K extends string, ...unknown[]]
    ? K
    : E & string
  : keyof O & string;

/** Asked when the wire has no instructions. */
export const genericChoiceInstructions = "Which of the options fits best?";

/**
 * A question that selects one of 2 to 255 named options.
 *
 * The keys must differ also when blanks around them are ignored. A blank description counts as none.
 *
 * @throws OptioError `invalid_question`; `invalid_options` for too few, too many, blank or equal options;
 *   `ambiguous_option_order` for an object with a key such as "2", whose place in an object is not its author's.
 *
 * @example
 * choice("Which team should answer?", { billing: "Invoices and refunds", technical: "Bugs", other: null });
 */
export function choice<const O extends ChoiceOptions>(
  instructions: string,
  options: O,
): Question<ChoiceAnswer<ChoiceKey<O>>> {
  checkInstructions(instructions);
  const list = readOptions(options) as readonly (Option & { readonly key: ChoiceKey<O> })[];
  return {
    type: "choice",
    instructions,
    options: list,
    wire: {
      type: "choice",
      instructions,
      criteria: list.map(({ key, description }) => [key, description ?? null] as const),
    },
    toAnswer(probabilities) {
      const distribution = toDistribution(list, probabilities);
      return { type: "choice", choice: mostProbable(distribution.distribution), ...distribution };
    },
  };
}

function readOptions(options: ChoiceOptions): readonly Option[] {
  if (typeof options !== "object" || options === null) {
    throw new OptioError("invalid_options", `The options are ${nameOf(options)}, not a list or an object.`);
  }
  const list = isList(options) ? options.map(readListed) : readObject(options);
  checkCount(list.length);
  checkKeys(list);
  return list.map((option) => {
    const text = option.key.trim();
    return text === option.key ? option : { ...option, text };
  });
}

function readListed(option: ChoiceOption, index: number): Option {
  const [key, description = null] =
    typeof option === "string" ? [option] : Array.isArray(option) ? option : [undefined];
  if (typeof key !== "string") {
    throw new OptioError(
      "invalid_options",
      `Option ${index + 1} is ${nameOf(key ?? option)}, not a key or a [key, description] pair.`,
    );
  }
  return { key, ...optionalDescription(description, `option "${key}"`) };
}

function readObject(options: Readonly<Record<string, string | null>>): readonly Option[] {
  const moved = integerLikeKey(options);
  if (moved !== undefined) {
    throw new OptioError("ambiguous_option_order", `The options are an object with the integer-like key "${moved}".`);
  }
  return Object.entries(options).map(([key, description]) => ({
    key,
    ...optionalDescription(description, `option "${key}"`),
  }));
}

function checkCount(count: number): void {
  const { least, most } = choiceOptionLimits;
  if (count >= least && count <= most) return;
  const options = count === 1 ? "1 option" : `${count} options`;
  throw new OptioError("invalid_options", `A choice takes ${least} to ${most} options; this one has ${options}.`, {
    details: { count },
  });
}

function checkKeys(options: readonly Option[]): void {
  const seen = new Map<string, number>();
  for (const [index, { key }] of options.entries()) {
    const text = key.trim();
    if (text === "") throw new OptioError("invalid_options", `Option ${index + 1} is blank.`);
    const earlier = seen.get(text);
    if (earlier !== undefined) {
      throw new OptioError("invalid_options", `Options ${earlier + 1} and ${index + 1} are both "${text}".`);
    }
    seen.set(text, index);
  }
}

/** `Array.isArray` does not narrow a readonly list out of a union. */
function isList(options: ChoiceOptions): options is readonly ChoiceOption[] {
  return Array.isArray(options);
}
