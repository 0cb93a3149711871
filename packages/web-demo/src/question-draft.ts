import { choice, noul, OptioError, type Question, score } from "@optio/core";

export type DraftType = "choice" | "noul" | "score";

/** A question as it stands in the page's fields. */
export interface QuestionDraft {
  /** Never shown; stays the same while the name is edited. */
  readonly key: number;
  readonly name: string;
  readonly type: DraftType;
  readonly instructions: string;
  /** One a line. Choice and yes/no: `name: what it means`. Score: a level a line, lowest first. */
  readonly options: string;
}

/**
 * Reads the fields of a question.
 *
 * @throws OptioError `invalid_question`, `invalid_options`
 */
export function readDraft(draft: QuestionDraft): Question {
  const lines = draft.options
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  switch (draft.type) {
    case "choice":
      return choice(draft.instructions, lines.map(readOption));
    case "noul":
      return noul(draft.instructions, readSides(lines));
    case "score":
      return score(draft.instructions, lines);
  }
}

function readOption(line: string): readonly [string, string | null] {
  const colon = line.indexOf(":");
  if (colon === -1) return [line, null];
  const description = line.slice(colon + 1).trim();
  return [line.slice(0, colon).trim(), description === "" ? null : description];
}

function readSides(lines: readonly string[]): { true?: string; false?: string } {
  const sides: { true?: string; false?: string } = {};
  for (const line of lines) {
    const [name, description] = readOption(line);
    const side = { yes: "true" as const, no: "false" as const }[name.toLowerCase()];
    if (side === undefined) {
      throw new OptioError("invalid_options", `A yes/no question has the lines "yes: …" and "no: …", not "${line}".`);
    }
    if (description !== null) sides[side] = description;
  }
  return sides;
}

/** A question that could be read. */
export interface NamedQuestion {
  readonly name: string;
  readonly question: Question;
}

/**
 * All questions, in their order.
 *
 * @returns the questions, or what is wrong with each draft, by its key
 */
export function readDrafts(
  drafts: readonly QuestionDraft[],
): { readonly questions: readonly NamedQuestion[] } | { readonly problems: ReadonlyMap<number, string> } {
  const problems = new Map<number, string>();
  const questions: NamedQuestion[] = [];
  const taken = new Set<string>();
  for (const draft of drafts) {
    const name = draft.name.trim();
    if (name === "") problems.set(draft.key, "Give the question a name.");
    else if (taken.has(name)) problems.set(draft.key, `Another question is called "${name}" already.`);
    taken.add(name);
    try {
      questions.push({ name, question: readDraft(draft) });
    } catch (error) {
      problems.set(draft.key, OptioError.from(error).message);
    }
  }
  return problems.size > 0 ? { problems } : { questions };
}
