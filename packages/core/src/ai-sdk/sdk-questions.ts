import {
  type Experimental_DecisionModelV4Question,
  Experimental_DecisionUnsupportedQuestionTypeError,
} from "@ai-sdk/provider";
import { questionsFromObjects } from "../questions/from-objects.js";
import type { Question } from "../questions/question.js";

export const supportedQuestionTypes = ["boolean", "choice", "score"] as const;

interface ModelName {
  readonly provider: string;
  readonly modelId: string;
}

/**
 * The questions of an AI SDK call: its `boolean` is a `noul`, the others have the form of the wire.
 *
 * @throws Experimental_DecisionUnsupportedQuestionTypeError for `box`; OptioError as `questionsFromWire`
 */
export function sdkQuestions(
  questions: Readonly<Record<string, Experimental_DecisionModelV4Question>>,
  model: ModelName,
): Record<string, Question> {
  const wire = Object.entries(questions).map(([id, question]) => {
    if (question.type === "box") {
      throw new Experimental_DecisionUnsupportedQuestionTypeError({ questionId: id, questionType: "box", ...model });
    }
    return [id, question.type === "boolean" ? { ...question, type: "noul" } : question] as const;
  });
  return questionsFromObjects(Object.fromEntries(wire));
}
