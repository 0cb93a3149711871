import { type ErrorCode, OptioError } from "@optio/core";
import { remoteFailure } from "@optio/core/wire";

/** What to do after a call that failed. */
export interface Verdict {
  readonly error: OptioError;
  /** `busy`: again soon. `once`: once again at most. `cold`: the endpoint starts, which takes minutes. */
  readonly again: "busy" | "once" | "cold" | "never";
}

/** Of the SDK's errors, what is read here: their classes differ from copy to copy. */
interface SdkError {
  readonly name: string;
  readonly message: string;
  readonly OriginalStatusCode?: unknown;
  readonly OriginalMessage?: unknown;
  readonly LogStreamArn?: unknown;
  readonly code?: unknown;
  readonly $metadata?: { readonly requestId?: string; readonly httpStatusCode?: number };
}

const denied = [
  "AccessDeniedException",
  "AccessDenied",
  "ExpiredTokenException",
  "ExpiredToken",
  "UnrecognizedClientException",
  "InvalidSignatureException",
  "InvalidClientTokenId",
  "IncompleteSignature",
  "MissingAuthenticationTokenException",
  "CredentialsProviderError",
];
const throttled = ["ThrottlingException", "Throttling", "TooManyRequestsException", "ModelNotReadyException"];
const unwell = ["ServiceUnavailable", "InternalFailure", "InternalDependencyException"];

/**
 * What a failed InvokeEndpoint means. A container's own refusal arrives as `ModelError` with its status inside, which the SDK
 * never retries; an endpoint scaled to zero as a `ValidationError`.
 */
export function verdictOn(thrown: unknown, endpoint: string): Verdict {
  if (!(thrown instanceof Error)) return verdict("never", "internal", `${endpoint}: ${String(thrown)}`, thrown);
  const error = thrown as SdkError;
  const said = `${endpoint}: ${error.message}`;
  if (error.name === "ModelError") return modelError(error, endpoint);
  if (error.name === "ValidationError" || error.name === "ValidationException") {
    if (/no capacity/iu.test(error.message)) {
      return verdict(
        "cold",
        "engine_unavailable",
        said,
        error,
        "The endpoint is scaled to zero; `coldStartMs` says how long to wait for it.",
      );
    }
    const missing = /not found|could not find|does not exist/iu.test(error.message);
    return verdict(
      "never",
      missing ? "engine_unavailable" : "request_refused",
      said,
      error,
      missing ? "Check the endpoint's name, its region and that it is InService." : undefined,
    );
  }
  if (denied.includes(error.name)) return verdict("never", "access_denied", said, error);
  if (throttled.includes(error.name)) return verdict("busy", "overloaded", said, error);
  if (unwell.includes(error.name)) return verdict("busy", "engine_unavailable", said, error, "Try again later.");
  const { httpStatusCode = 0 } = error.$metadata ?? {};
  if (error.name === "TimeoutError" && error.code === undefined && httpStatusCode === 0) {
    return verdict("once", "timeout", said, error);
  }
  if (
    error.name === "TimeoutError" ||
    typeof error.code === "string" ||
    httpStatusCode >= 500 ||
    error.name === "SyntaxError"
  ) {
    return verdict(
      "busy",
      "engine_unavailable",
      said,
      error,
      "Check the region and the connection, or try again later.",
    );
  }
  return verdict("never", "request_refused", said, error);
}

function modelError(error: SdkError, endpoint: string): Verdict {
  const status = typeof error.OriginalStatusCode === "number" ? error.OriginalStatusCode : 500;
  const text = typeof error.OriginalMessage === "string" ? error.OriginalMessage : "";
  const log = typeof error.LogStreamArn === "string" ? { logStream: error.LogStreamArn } : {};
  // SageMaker's own limit of 60 seconds ends a call with the status 0.
  if (status === 0) {
    return verdict(
      "once",
      "timeout",
      `${endpoint}: the container did not answer within SageMaker's 60 seconds.`,
      error,
    );
  }
  const refusal = remoteFailure(endpoint, { status, text, requestId: error.$metadata?.requestId ?? null });
  const busy = [408, 429, 502, 503, 504, 529].includes(status);
  const told = new OptioError(
    busy && refusal.code === "engine_unavailable" ? "overloaded" : refusal.code,
    refusal.message,
    {
      hint: refusal.hint,
      details: { ...refusal.details, ...log },
      cause: error,
    },
  );
  return { error: told, again: busy ? "busy" : status >= 500 && status !== 501 ? "once" : "never" };
}

function verdict(again: Verdict["again"], code: ErrorCode, message: string, cause: unknown, hint?: string): Verdict {
  return { again, error: new OptioError(code, message, { cause, ...(hint === undefined ? {} : { hint }) }) };
}
