import { OptioError } from "../errors.js";
import { networkReason } from "../network-reason.js";
import { pause } from "../pause.js";

/** Why an attempt came to nothing, and what that says about the next. */
export interface Setback {
  readonly error: OptioError;
  /** Bytes that this attempt added. */
  readonly gainedBytes: number;
  /** Milliseconds that the server asked to wait. */
  readonly afterMs?: number | undefined;
  /** Attempts after which this reason is taken as final, when it is one that time seldom cures. */
  readonly attempts?: number | undefined;
}

export interface RetrySettings {
  /** Attempts that may fail in a row before the download fails. Default 6. */
  readonly attempts: number;
  /** Wait before the first retry in milliseconds, doubled for each further one, at most 15 s. Default 500. */
  readonly backOffMs: number;
}

export const defaultRetry: RetrySettings = { attempts: 6, backOffMs: 500 };

/** An attempt that brought this much was no failure in a row with the one before. */
const enoughBytes = 256 * 1024;
const longestWaitMs = 15_000;

/** Counts failures in a row and waits between attempts. */
export class RetryBudget {
  readonly #settings: RetrySettings;
  #failures = 0;

  constructor(settings: RetrySettings) {
    this.#settings = settings;
  }

  /**
   * Waits before the next attempt.
   *
   * @throws the setback's error when there were enough; the signal's reason when aborted.
   */
  async spend(setback: Setback, signal: AbortSignal | undefined): Promise<void> {
    this.#failures = setback.gainedBytes >= enoughBytes ? 1 : this.#failures + 1;
    if (this.#failures >= Math.min(this.#settings.attempts, setback.attempts ?? Number.POSITIVE_INFINITY)) {
      throw setback.error;
    }
    const backOffMs = this.#settings.backOffMs * 2 ** (this.#failures - 1) * (0.75 + Math.random() / 2);
    await pause(Math.min(longestWaitMs, Math.max(backOffMs, setback.afterMs ?? 0)), signal);
  }
}

/** True for names that do not resolve and hosts that refuse: waiting changes that less than another source does. */
export function isUnreachable(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return code === "ENOTFOUND" || code === "EAI_AGAIN" || code === "ECONNREFUSED" || code === "ENETUNREACH";
}

/** The error of a request that did not come through. */
export function requestFailed(from: string, error: unknown): OptioError {
  return new OptioError("download_failed", `${from} could not be reached: ${networkReason(error)}`, { cause: error });
}
