/** What pending work is rejected with when the user presses Ctrl-C. */
export function interruption(): DOMException {
  return new DOMException("Interrupted.", "AbortError");
}

/** Whether this error is the interruption itself rather than a failure. */
export function isInterruption(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && error === signal.reason;
}
