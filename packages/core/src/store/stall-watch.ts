/** Ends one attempt of a download: when nothing comes for a while, or when the caller aborts. */
export class StallWatch {
  readonly #stallMs: number;
  readonly #outer: AbortSignal | undefined;
  readonly #controller = new AbortController();
  #stalled = false;

  constructor(stallMs: number, outer: AbortSignal | undefined) {
    this.#stallMs = stallMs;
    this.#outer = outer;
    outer?.addEventListener("abort", this.#onOuterAbort, { once: true });
    if (outer?.aborted) this.#onOuterAbort();
  }

  /** For the request: aborted when the attempt is over, however it ends. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True when it was silence that ended the attempt. */
  get stalled(): boolean {
    return this.#stalled;
  }

  /** Settles as `work` does, or rejects once it has taken `stallMs` or the attempt is over. */
  guard<T>(work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const { signal } = this.#controller;
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        this.#stalled = true;
        this.#controller.abort(new DOMException("nothing arrived", "TimeoutError"));
      }, this.#stallMs);
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) onAbort();
      work.then(resolve, reject).finally(() => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
      });
    });
  }

  /** Ends the attempt: a request that still runs is aborted. */
  end(): void {
    this.#outer?.removeEventListener("abort", this.#onOuterAbort);
    this.#controller.abort(new DOMException("the attempt is over", "AbortError"));
  }

  readonly #onOuterAbort = (): void => this.#controller.abort(this.#outer?.reason);
}
