import { checkInstructions, optionalDescription } from "./check-text.js";
import { toDistribution } from "./distribution.js";
import type { NoulAnswer, Question } from "./question.js";

/** What yes and no mean in this question; either may be left out. */
export interface NoulCriteria {
  readonly true?: string;
  readonly false?: string;
}

/** Asked when the wire has no instructions. */
export const genericNoulInstructions = "Is it true?";

/**
 * A yes/no question, answered by the probability of yes.
 *
 * The options are `true`, then `false`; the model is shown "yes" and "no". A blank criterion counts as none.
 *
 * @throws OptioError `invalid_question`
 *
 * @example
 * noul("Is the customer angry?", { true: "Insults or threats" });
 */
export function noul(instructions: string, criteria: NoulCriteria = {}): Question<NoulAnswer> {
  checkInstructions(instructions);
  const yes = optionalDescription(criteria.true, "yes");
  const no = optionalDescription(criteria.false, "no");
  const options = [
    { key: "true", text: "yes", ...yes },
    { key: "false", text: "no", ...no },
  ] as const;
  const wireCriteria = {
    ...(yes.description === undefined ? {} : { true: yes.description }),
    ...(no.description === undefined ? {} : { false: no.description }),
  };
  return {
    type: "noul",
    instructions,
    options,
    wire: {
      type: "noul",
      instructions,
      ...(Object.keys(wireCriteria).length === 0 ? {} : { criteria: wireCriteria }),
    },
    toAnswer(probabilities) {
      const distribution = toDistribution<"true" | "false">(options, probabilities);
      const { true: yes, false: no } = distribution.probabilities;
      return { type: "noul", noul: yes, value: yes >= no, ...distribution };
    },
  };
}
