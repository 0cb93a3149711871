import type { Question as LangchainQuestion } from "@langchain/core/decisions";
import { OptioError } from "../errors.js";
import { questionsFromObjects } from "../questions/from-objects.js";
import type { Question } from "../questions/question.js";
import { readUntrusted } from "../read-untrusted.js";
import { mediaTypeOf } from "./media-type.js";

/**
 * LangChain's questions, which have the form of the wire.
 *
 * @throws OptioError `invalid_question` for `box` and for media, else as `questionsFromWire`
 */
export function langchainQuestions(questions: Record<string, LangchainQuestion>): Record<string, Question> {
  for (const [id, question] of Object.entries(questions)) {
    if (question.type === "box") {
      throw new OptioError("invalid_question", `"${id}" asks for a box, and optio does not look at images.`, {
        hint: "Ask noul, choice or score questions, or use another decision model for this one.",
        details: { field: id },
      });
    }
    readUntrusted("invalid_question", "The questions", () => refuseMedia(id, question));
  }
  return questionsFromObjects(questions);
}

function refuseMedia(id: string, value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  const media = mediaTypeOf(value);
  if (media !== undefined) {
    throw new OptioError("invalid_question", `"${id}" has a content block of the type "${media}"; optio reads text.`, {
      hint: "Describe it in words.",
      details: { field: id },
    });
  }
  for (const item of Object.values(value)) refuseMedia(id, item);
}
