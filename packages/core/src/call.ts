import { OptioError } from "./errors.js";

/** What a caller may say about how long a call may take and how to end it. */
export interface CallControl {
  /** Ends the call; it then rejects with the signal's own reason. */
  readonly signal?: AbortSignal;
  /** Milliseconds that the call may take in all, waiting included. None by default. */
  readonly timeoutMs?: number;
}

/** One running call: a signal that fires on abort and on the deadline alike. */
export interface Call extends Disposable {
  readonly signal: AbortSignal;
  /** Milliseconds left, at least 0; `Infinity` without a deadline. */
  remainingMs(): number;
  /** Rejects as soon as the call ends early; the work itself must listen to `signal`. */
  race<T>(work: Promise<T>): Promise<T>;
  /** What to report for a failure of the work: an engine that noticed the deadline first knows only what was left of it. */
  blame(error: unknown): unknown;
}

/**
 * Starts the clock of a call.
 *
 * @throws OptioError `invalid_setting` for a time-out that is not positive; the signal's reason when it has fired already.
 */
export function startCall(control: CallControl, what: string): Call {
  const { signal, timeoutMs } = control;
  if (timeoutMs !== undefined && !(timeoutMs > 0)) {
    throw new OptioError("invalid_setting", `timeoutMs must be more than 0, not ${timeoutMs}.`);
  }
  signal?.throwIfAborted();

  // Made when it is needed: most calls are in time, and an error costs its stack.
  let made: OptioError | undefined;
  const late = (): OptioError => {
    made ??= new OptioError("timeout", `${what} took longer than ${timeoutMs} ms.`, {
      details: { timeoutMs: timeoutMs ?? 0 },
    });
    return made;
  };
  const controller = new AbortController();
  const started = performance.now();
  const onAbort = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  // Timers hold at most 2^31 - 1 ms; a longer limit is as good as none.
  const timer =
    timeoutMs === undefined || timeoutMs > 2_147_483_647
      ? undefined
      : setTimeout(() => controller.abort(late()), timeoutMs);
  const dispose = () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  };

  return {
    signal: controller.signal,
    remainingMs: () =>
      timeoutMs === undefined ? Number.POSITIVE_INFINITY : Math.max(0, timeoutMs - (performance.now() - started)),
    race: (work) => untilAborted(work, controller.signal),
    blame: (error) => (timeoutMs !== undefined && OptioError.isInstance(error, "timeout") ? late() : error),
    [Symbol.dispose]: dispose,
  };
}

/** Settles as `work` does, or rejects with the signal's reason if that comes first. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) {
      onAbort();
      work.catch(() => undefined);
      return;
    }
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
