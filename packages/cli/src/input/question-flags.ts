import { OptioError } from "@optio/core";

/** A question as typed in a flag. */
export interface QuestionFlag {
  readonly type: "choice" | "noul" | "score";
  /** Absent when the flag names none. */
  readonly id?: string;
  readonly instructions: string;
  readonly options: readonly FlagOption[];
}

export interface FlagOption {
  readonly key: string;
  readonly description?: string;
}

export const questionFlagsHelp = `Questions on the command line:
  --choice '[id=]instructions | option[: meaning] | option[: meaning] ...'
  --noul   '[id=]instructions [| yes: meaning] [| no: meaning]'
  --score  '[id=]instructions | lowest level | ... | highest level'

  Each flag may be repeated; answers come in the order typed. Parts are separated
  by |. In a choice, the first colon ends an option's name. A backslash takes the
  next |, : or \\ as it is. Without an id a question is called choice, noul or
  score, then choice2 and so on.`;

/**
 * Reads `[id=]instructions | part | part`.
 *
 * @throws OptioError `invalid_question` with the flag's text in the message.
 */
export function parseQuestionFlag(type: QuestionFlag["type"], text: string): QuestionFlag {
  const [head = "", ...parts] = splitUnescaped(text, "|").map((part) => part.trim());
  const named = /^([A-Za-z_][\w.-]*)=(.*)$/su.exec(head);
  const id = named?.[1];
  const instructions = withoutBackslashes(named?.[2] ?? head).trim();
  if (instructions === "") throw broken(type, text, "has no instructions before the first |");
  const empty = parts.indexOf("");
  if (empty !== -1) throw broken(type, text, `has nothing in part ${empty + 1} after the instructions`);

  const options = type === "score" ? parts.map((part) => ({ key: withoutBackslashes(part) })) : parts.map(parseOption);
  if (type === "choice" && options.length < 2)
    throw broken(type, text, `has ${count(options.length, "option")}; it needs 2 or more`);
  if (type === "score" && options.length < 2)
    throw broken(type, text, `has ${count(options.length, "level")}; it needs 2 to 10`);
  if (type === "noul") checkSides(options, text);
  return { type, ...(id === undefined ? {} : { id }), instructions, options };
}

function parseOption(part: string): FlagOption {
  const [name = "", ...rest] = splitUnescaped(part, ":");
  const key = withoutBackslashes(name).trim();
  const description = withoutBackslashes(rest.join(":")).trim();
  return description === "" ? { key } : { key, description };
}

function checkSides(options: readonly FlagOption[], text: string): void {
  const sides = new Set<string>();
  for (const { key, description } of options) {
    const side = key.toLowerCase();
    if (side !== "yes" && side !== "no")
      throw broken("noul", text, `has the part "${key}"; only yes and no can be described`);
    if (description === undefined) throw broken("noul", text, `says nothing after "${key}"`);
    if (sides.has(side)) throw broken("noul", text, `describes "${key}" twice`);
    sides.add(side);
  }
}

/** Splits at a character, but not where a backslash stands before it; backslashes stay. */
function splitUnescaped(text: string, separator: string): string[] {
  const parts = [""];
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? "";
    if (character === "\\" && index + 1 < text.length) {
      parts[parts.length - 1] += character + text[++index];
    } else if (character === separator) {
      parts.push("");
    } else {
      parts[parts.length - 1] += character;
    }
  }
  return parts;
}

function withoutBackslashes(text: string): string {
  return text.replace(/\\([|:\\])/gu, "$1");
}

function count(number: number, noun: string): string {
  return number === 1 ? `1 ${noun}` : `${number} ${noun}s`;
}

function broken(type: string, text: string, what: string): OptioError {
  return new OptioError("invalid_question", `--${type} '${text}' ${what}.`, {
    hint: example[type] ?? "",
  });
}

const example: Readonly<Record<string, string>> = {
  choice: "Write it like --choice 'team=Which team? | billing: Invoices and refunds | technical: Bugs | other'.",
  noul: "Write it like --noul 'angry=Is the customer angry? | yes: Insults or threats | no: Anything calmer'.",
  score: "Write it like --score 'urgency=How urgent is it? | can wait | this week | today'.",
};
