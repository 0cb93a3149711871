import { APICallError } from "@ai-sdk/provider";
import { type ErrorCode, OptioError } from "../errors.js";

/** Failures that the same call may not meet again a few seconds later. */
const passing: readonly ErrorCode[] = [
  "engine_crashed",
  "queue_full",
  "overloaded",
  "store_busy",
  "download_failed",
  "download_stalled",
];

/**
 * The AI SDK repeats a call that fails with a retryable `APICallError`, and nothing else. So failures that pass, and refusals
 * of a server, become one, with the `OptioError` as its cause; what a repetition cannot cure stays the `OptioError` itself.
 */
export function sdkError(error: unknown, questionIds: readonly string[]): unknown {
  if (!OptioError.isInstance(error)) return error;
  const { status, host } = error.details;
  const statusCode = typeof status === "number" ? status : undefined;
  const isRetryable = passing.includes(error.code) || mayPass(error.code, statusCode, host !== undefined);
  if (!isRetryable && statusCode === undefined) return error;
  return new APICallError({
    message: error.message,
    // Neither the address, which may be private, nor the state belongs into an error that is logged.
    url: "optio:decide",
    requestBodyValues: { questions: questionIds },
    ...(statusCode === undefined ? {} : { statusCode }),
    isRetryable,
    data: error.toWire(),
    cause: error,
  });
}

function mayPass(code: ErrorCode, statusCode: number | undefined, isElsewhere: boolean): boolean {
  // Without a status the server was not reached at all.
  if (statusCode === undefined) return isElsewhere && code === "engine_unavailable";
  return statusCode === 408 || statusCode === 429 || (statusCode >= 500 && statusCode !== 501);
}
