import { OptioError } from "../errors.js";
import { checkInstructions, nameOf } from "./check-text.js";
import { mostProbable, toDistribution } from "./distribution.js";
import type { Question, ScoreAnswer } from "./question.js";

/** Fewest and most levels of a score. */
export const scoreLevelLimits = { least: 2, most: 10 } as const;

/** Asked when the wire has no instructions. */
export const genericScoreInstructions = "Which of the levels fits best?";

/**
 * A question that rates on 2 to 10 ordered levels, each described by a text, lowest first.
 *
 * Levels are numbered from 0; the model is shown the number and the text. A level whose text is its own number counts
 * as undescribed.
 *
 * @throws OptioError `invalid_question`; `invalid_options` for too few, too many or blank levels.
 *
 * @example
 * score("How urgent is it?", ["can wait", "this week", "today"]);
 */
export function score(instructions: string, levels: readonly string[]): Question<ScoreAnswer> {
  checkInstructions(instructions);
  checkLevels(levels);
  const texts = [...levels];
  const options = texts.map((text, level) => {
    const key = String(level);
    return text === key ? { key } : { key, description: text };
  });
  const legend = Object.fromEntries(texts.map((text, level) => [String(level), text]));
  return {
    type: "score",
    instructions,
    options,
    wire: { type: "score", instructions, criteria: texts },
    toAnswer(probabilities) {
      const distribution = toDistribution(options, probabilities);
      const expected = probabilities.reduce((sum, probability, level) => sum + level * probability, 0);
      return {
        type: "score",
        // Rounding may carry a certain top level a hair over it.
        score: Math.min(expected, texts.length - 1),
        level: Number(mostProbable(distribution.distribution)),
        legend,
        ...distribution,
      };
    },
  };
}

function checkLevels(levels: readonly string[]): void {
  if (!Array.isArray(levels)) throw new OptioError("invalid_options", `The levels are ${nameOf(levels)}, not a list.`);
  const { least, most } = scoreLevelLimits;
  if (levels.length < least || levels.length > most) {
    const count = levels.length === 1 ? "1 level" : `${levels.length} levels`;
    throw new OptioError("invalid_options", `A score takes ${least} to ${most} levels; this one has ${count}.`, {
      details: { count: levels.length },
    });
  }
  for (const [level, text] of levels.entries()) {
    if (typeof text !== "string")
      throw new OptioError("invalid_options", `Level ${level} is ${nameOf(text)}, not text.`);
    if (text.trim() === "") throw new OptioError("invalid_options", `Level ${level} is blank.`);
  }
}
