import { OptioError } from "../errors.js";

/** @throws OptioError `invalid_question` unless the instructions are text that is not blank. */
export function checkInstructions(instructions: unknown): asserts instructions is string {
  if (typeof instructions !== "string") {
    throw new OptioError("invalid_question", `The instructions are ${nameOf(instructions)}, not text.`, {
      hint: "Pass the question as a sentence, for example `What is the ticket about?`.",
    });
  }
  if (instructions.trim() === "") {
    throw new OptioError("invalid_question", "The instructions are blank.", {
      hint: "Pass the question as a sentence, for example `What is the ticket about?`.",
    });
  }
}

/** The description as an option has it: a blank one counts as none. */
export function optionalDescription(description: unknown, where: string): { readonly description?: string } {
  if (description === undefined || description === null) return {};
  if (typeof description !== "string") {
    throw new OptioError(
      "invalid_question",
      `The description of ${where} is ${nameOf(description)}, not text or null.`,
    );
  }
  return description.trim() === "" ? {} : { description };
}

/** What a value is, for a message. */
export function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
