import { OptioError } from "../errors.js";
import { readUntrusted } from "../read-untrusted.js";
import { questionsFromWire } from "./from-wire.js";
import type { Question } from "./question.js";

/**
 * Questions of a library whose options can only be an object.
 *
 * @throws OptioError as `questionsFromWire`; `ambiguous_option_order` does not advise pairs, which such a library cannot pass
 */
export function questionsFromObjects(wire: unknown): Record<string, Question> {
  try {
    return readUntrusted("invalid_question", "The questions", () => questionsFromWire(wire));
  } catch (error) {
    if (!OptioError.isInstance(error, "ambiguous_option_order")) throw error;
    throw new OptioError(error.code, error.message, {
      hint: 'JavaScript moves integer-like keys to the front of an object: name the options differently, such as "level 2" for "2".',
      details: error.details,
      cause: error,
    });
  }
}
