import { type ErrorCode, OptioError } from "../errors.js";

/** What no engine can answer: asking the next would only repeat it. */
const wrongInput: readonly ErrorCode[] = [
  "invalid_state",
  "invalid_question",
  "invalid_options",
  "ambiguous_option_order",
  "invalid_schema",
  "invalid_setting",
];

/** What this engine cannot answer although it is well. */
const notForThisEngine: readonly ErrorCode[] = [
  "context_too_long",
  "too_many_options",
  "reserved_token",
  "labels_unusable",
  "template_failed",
  "low_label_mass",
  "request_refused",
  "queue_full",
];

/** Whether another engine may do better. */
export function passesOn(error: OptioError): boolean {
  return !wrongInput.includes(error.code);
}

/** Whether a failure says that the engine is not well. */
export function isEngineTrouble(error: OptioError): boolean {
  return passesOn(error) && !notForThisEngine.includes(error.code);
}

/** The failure of a decision that no engine made, named after the last that was asked. */
export function nobodyAnswered(reasons: readonly string[], last: OptioError | undefined): OptioError {
  const message = `No engine answered. ${reasons.join("; ")}.`;
  if (last === undefined) {
    return new OptioError("engine_unavailable", message, { hint: "See what `fallback` allows, and for which sizes." });
  }
  return new OptioError(last.code, message, { hint: last.hint, details: last.details, cause: last });
}
