import { choice, noul, OptioError, parseQuestions, type Question, score } from "@optio/core";
import type { FlagOption, QuestionFlag } from "./question-flags.js";
import { readTextFile } from "./read-file.js";

/**
 * The questions of a command line by their ids: those of the file first, then those typed, in order.
 *
 * @throws OptioError `invalid_setting` when there are none or two share an id; those of the questions themselves.
 */
export async function collectQuestions(
  typed: readonly QuestionFlag[],
  file: string | undefined,
): Promise<Readonly<Record<string, Question>>> {
  const questions: Record<string, Question> = {
    ...(file === undefined ? {} : parseQuestions(await readTextFile(file, "--questions"))),
  };
  for (const flag of typed) {
    const id = flag.id ?? freeId(flag.type, questions);
    if (id in questions) {
      throw new OptioError("invalid_setting", `Two questions are called "${id}".`, {
        hint: "Give each question an id of its own: --noul 'other=Is it ...?'.",
      });
    }
    questions[id] = makeQuestion(flag);
  }
  if (Object.keys(questions).length === 0) {
    throw new OptioError("invalid_setting", "There is no question.", {
      hint: "Add --choice, --noul, --score or --questions; `optio decide --help` shows how they are written.",
    });
  }
  return questions;
}

function freeId(type: string, taken: Readonly<Record<string, Question>>): string {
  if (!(type in taken)) return type;
  let number = 2;
  while (`${type}${number}` in taken) number++;
  return `${type}${number}`;
}

function makeQuestion({ type, instructions, options }: QuestionFlag): Question {
  switch (type) {
    case "choice":
      return choice(
        instructions,
        options.map(({ key, description }): [string, string | null] => [key, description ?? null]),
      );
    case "noul":
      return noul(instructions, { ...side(options, "yes", "true"), ...side(options, "no", "false") });
    case "score":
      return score(
        instructions,
        options.map(({ key }) => key),
      );
  }
}

function side(
  options: readonly FlagOption[],
  typed: string,
  name: "true" | "false",
): { true?: string; false?: string } {
  const description = options.find(({ key }) => key.toLowerCase() === typed)?.description;
  return description === undefined ? {} : { [name]: description };
}
