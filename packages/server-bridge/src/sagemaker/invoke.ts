import { OptioError } from "@optio/core";
import { pause } from "@optio/core/wire";
import { verdictOn } from "./failures.js";

export interface InvokeSettings {
  readonly endpoint: string;
  readonly signal: AbortSignal;
  /** `performance.now()` at which the call must be over; `Infinity` for none. */
  readonly deadline: number;
  /** Attempts after the first for what time may cure. */
  readonly retries: number;
  /** Milliseconds that may be spent on waiting for an endpoint that is scaled to zero. */
  readonly coldStartMs: number;
  readonly onColdStart?: () => void;
}

const backOff = { firstMs: 250, mostMs: 8_000, coldMs: 5_000 } as const;

/**
 * Calls until it succeeds, within the deadline: a busy container and throttling are tried again with growing waits, an endpoint
 * that starts from zero at even ones. A decision changes nothing, so that repeating it is safe.
 *
 * @throws OptioError of the last attempt; the signal's reason when aborted.
 */
export async function invokeWithRetry<T>(call: () => Promise<T>, settings: InvokeSettings): Promise<T> {
  const { endpoint, signal, deadline, coldStartMs } = settings;
  const began = performance.now();
  let failures = 0;
  let retriesLeft = settings.retries;
  for (;;) {
    signal.throwIfAborted();
    try {
      return await call();
    } catch (thrown) {
      signal.throwIfAborted();
      if (OptioError.isInstance(thrown)) throw thrown;
      const { error, again } = verdictOn(thrown, endpoint);
      const isCold = again === "cold";
      if (isCold) settings.onColdStart?.();
      const waitMs =
        (isCold ? backOff.coldMs : Math.min(backOff.mostMs, backOff.firstMs * 2 ** failures)) *
        (0.5 + Math.random() / 2);
      const end = performance.now() + waitMs;
      const mayAgain = isCold ? end - began < coldStartMs : again !== "never" && retriesLeft > 0;
      if (!mayAgain || end >= deadline) throw error;
      if (!isCold) {
        failures++;
        // What may be cured once is not tried a third time.
        retriesLeft = again === "once" ? 0 : retriesLeft - 1;
      }
      await pause(waitMs, signal);
    }
  }
}
