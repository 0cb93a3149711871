import { untilAborted } from "../../call.js";
import { OptioError } from "../../errors.js";
import { networkReason } from "../../network-reason.js";
import { pause } from "../../pause.js";

export interface JsonPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface PostSettings {
  readonly signal: AbortSignal;
  /** `performance.now()` at which the call must be over; `Infinity` for none. */
  readonly deadline: number;
  /** Attempts after the first, for failures that time may cure. */
  readonly retries: number;
  /** Milliseconds for one attempt. */
  readonly attemptTimeoutMs: number;
  readonly fetch: typeof fetch;
  /** Makes an error of a response that is no success. */
  readonly failure: (response: JsonResponse) => OptioError;
}

export interface JsonResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The waits of the System One wire: 500 ms before the first retry, doubled up to 5 s; what a server asks for, up to 60 s. */
const backOff = { firstMs: 500, mostMs: 5_000, mostAskedMs: 60_000 };

/**
 * Posts JSON and tries again where the wire says so: 408, 429, 5xx, and connections that fail.
 *
 * @throws OptioError what `failure` makes of a response; `timeout`; `engine_unavailable` when no connection comes about; the
 *   signal's reason when aborted.
 */
export async function postJson(post: JsonPost, settings: PostSettings): Promise<JsonResponse> {
  for (let attempt = 0; ; attempt++) {
    const outcome = await attemptPost(post, attempt, settings);
    if (!("error" in outcome)) return outcome;
    const { error, retryable, afterMs } = outcome;
    const waitMs = Math.max(afterMs ?? 0, jittered(Math.min(backOff.mostMs, backOff.firstMs * 2 ** attempt)));
    // A wait that ends after the deadline only makes the caller learn later of the failure.
    if (!retryable || attempt >= settings.retries || performance.now() + waitMs >= settings.deadline) throw error;
    await pause(waitMs, settings.signal);
  }
}

interface Failed {
  readonly error: OptioError;
  readonly retryable: boolean;
  /** Milliseconds that the server asked to wait. */
  readonly afterMs?: number | undefined;
}

async function attemptPost(post: JsonPost, attempt: number, settings: PostSettings): Promise<JsonResponse | Failed> {
  const { signal, deadline, attemptTimeoutMs } = settings;
  const limitMs = Math.max(1, Math.min(attemptTimeoutMs, deadline - performance.now()));
  const ends = AbortSignal.any([signal, AbortSignal.timeout(Math.min(Math.ceil(limitMs), 2_147_483_647))]);
  try {
    const headers = { "content-type": "application/json", accept: "application/json", ...post.headers };
    const response = await settings.fetch(post.url, {
      method: "POST",
      headers: { ...headers, "x-typesafe-retry-count": String(attempt) },
      body: post.body,
      signal: ends,
      // A redirect could carry the state to a host that nobody named.
      redirect: "error",
    });
    const answer = {
      status: response.status,
      headers: response.headers,
      text: await untilAborted(response.text(), ends),
    };
    if (response.ok) return answer;
    const { status } = answer;
    const retryable = status === 408 || status === 429 || status >= 500;
    return { error: settings.failure(answer), retryable, afterMs: retryAfterMs(answer.headers) };
  } catch (error) {
    signal.throwIfAborted();
    if (ends.aborted) {
      const late = new OptioError("timeout", `${hostOf(post.url)} did not answer within ${Math.ceil(limitMs)} ms.`, {
        details: { timeoutMs: limitMs },
      });
      return { error: late, retryable: limitMs === attemptTimeoutMs };
    }
    const unreachable = new OptioError(
      "engine_unavailable",
      `${hostOf(post.url)} could not be reached: ${networkReason(error)}`,
      {
        cause: error,
        hint: "Check the address and the connection; a page also needs the server to allow its origin.",
        details: { host: hostOf(post.url) },
      },
    );
    return { error: unreachable, retryable: true };
  }
}

/** What `retry-after-ms` or `retry-after` (seconds, or a date) asks for. */
function retryAfterMs(headers: Headers): number | undefined {
  const milliseconds = headers.get("retry-after-ms");
  const after = headers.get("retry-after");
  if (milliseconds === null && after === null) return undefined;
  const seconds = Number(after);
  const asked =
    milliseconds !== null
      ? Number(milliseconds)
      : Number.isFinite(seconds)
        ? seconds * 1_000
        : Date.parse(after ?? "") - Date.now();
  return Number.isFinite(asked) && asked > 0 ? Math.min(asked, backOff.mostAskedMs) : undefined;
}

/** Callers that failed together must not come back together. */
function jittered(ms: number): number {
  return ms * (0.75 + Math.random() / 2);
}

export function hostOf(url: string): string {
  return new URL(url).host;
}
