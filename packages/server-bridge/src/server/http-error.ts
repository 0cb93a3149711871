import { type ErrorCode, OptioError } from "@optio/core";
import type { ContentfulStatusCode } from "hono/utils/http-status";

/** What a request is answered with instead of a decision. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: ContentfulStatusCode;
  /** Machine-readable, as hosted servers of this wire name it. */
  readonly type: string;
  readonly hint: string | undefined;
  /** Seconds after which it may be tried again. */
  readonly retryAfterS: number | undefined;
  /** The field of the request that it is about. */
  readonly field: string | undefined;

  constructor(
    status: ContentfulStatusCode,
    type: string,
    message: string,
    options: {
      readonly hint?: string;
      readonly retryAfterS?: number;
      readonly field?: string;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = status;
    this.type = type;
    this.hint = options.hint;
    this.retryAfterS = options.retryAfterS;
    this.field = options.field;
  }
}

interface Meaning {
  readonly status: ContentfulStatusCode;
  readonly type: string;
  readonly retryAfterS?: number;
}

const invalid: Meaning = { status: 422, type: "validation_error" };
const tooLong: Meaning = { status: 400, type: "max_tokens_exceeded" };
const refused: Meaning = { status: 400, type: "api_usage_error" };
/** The engine restarts with the next request. */
const restarting: Meaning = { status: 503, type: "engine_unavailable", retryAfterS: 1 };
const down: Meaning = { status: 503, type: "engine_unavailable", retryAfterS: 10 };
const defect: Meaning = { status: 500, type: "internal_error" };

// Every code of core appears, so that a new one cannot be forgotten.
const meanings: Readonly<Record<ErrorCode, Meaning>> = {
  invalid_state: invalid,
  invalid_question: invalid,
  invalid_options: invalid,
  ambiguous_option_order: invalid,
  invalid_schema: invalid,
  invalid_setting: invalid,
  context_too_long: tooLong,
  too_many_options: refused,
  reserved_token: refused,
  template_failed: defect,
  labels_unusable: defect,
  model_not_found: down,
  model_invalid: down,
  model_unsupported: down,
  download_failed: down,
  download_stalled: down,
  hash_mismatch: down,
  no_space: down,
  store_busy: down,
  store_failed: down,
  engine_unavailable: down,
  engine_start_failed: down,
  engine_crashed: restarting,
  engine_closed: down,
  protocol_mismatch: down,
  out_of_memory: restarting,
  queue_full: { status: 429, type: "overloaded", retryAfterS: 1 },
  timeout: { status: 504, type: "timeout" },
  access_denied: down,
  overloaded: down,
  request_refused: refused,
  non_finite_scores: defect,
  degenerate_scores: defect,
  low_label_mass: { status: 422, type: "low_label_mass" },
  invalid_distribution: defect,
  internal: defect,
};

/** Any thrown value as what the client is told. What is not one of ours stays inside. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (!OptioError.isInstance(error)) {
    return new HttpError(500, "internal_error", "The server failed; its log has the request's id.", { cause: error });
  }
  const { status, type, retryAfterS } = meanings[error.code] ?? defect;
  return new HttpError(status, type, error.message, {
    hint: error.hint,
    cause: error,
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
  });
}

/** The body of an error, in the shapes that clients of the System One wire look for. */
export function errorBody(error: HttpError, requestId: string): object {
  const { message, type, hint, cause } = error;
  const code = OptioError.isInstance(cause) ? cause.code : type;
  const field = OptioError.isInstance(cause) ? cause.details["field"] : undefined;
  const optio = { code, request_id: requestId, ...(hint === undefined ? {} : { hint }) };
  if (error.status === 422) {
    const loc = ["body", ...(typeof field === "string" && field !== "" ? field.split(".") : [])];
    return { detail: [{ type, loc, msg: message }], optio };
  }
  return { error: { type, message, ...(error.field === undefined ? {} : { param: error.field }) }, optio };
}
