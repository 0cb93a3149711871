import { untilAborted } from "./call.js";
import { OptioError } from "./errors.js";

/** Lets one piece of work run at a time, in the order of asking, and refuses more than a bounded number of waiters. */
export class Turnstile {
  readonly #maxWaiting: number;
  readonly #waiting = new Set<Waiter>();
  #busy = false;

  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Runs `work` when its turn comes. The turn ends when `work` settles, even if the caller has given up by then.
   *
   * @param onPosition how many are ahead, each time that changes
   * @throws OptioError `queue_full` at once; the signal's reason when aborted, while waiting or running.
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>, onPosition?: (ahead: number) => void): Promise<T> {
    await this.#enter(signal, onPosition);
    const running = work();
    running.then(
      () => this.#leave(),
      () => this.#leave(),
    );
    return untilAborted(running, signal);
  }

  /** Rejects all that wait. */
  clear(reason: unknown): void {
    for (const waiter of this.#waiting) waiter.reject(reason);
    this.#waiting.clear();
  }

  async #enter(signal: AbortSignal, onPosition?: (ahead: number) => void): Promise<void> {
    if (!this.#busy) {
      this.#busy = true;
      return;
    }
    if (this.#waiting.size >= this.#maxWaiting) {
      throw new OptioError(
        "queue_full",
        `${this.#waiting.size} decisions are waiting already, the most that are allowed.`,
        {
          details: { maxQueue: this.#maxWaiting },
        },
      );
    }
    let waiter: Waiter | undefined;
    const turn = new Promise<void>((resolve, reject) => {
      waiter = { resolve, reject, onPosition };
      this.#waiting.add(waiter);
      onPosition?.(this.#waiting.size);
    });
    try {
      await untilAborted(turn, signal);
    } catch (error) {
      // The turn may have come in the very moment of the abort: then it has to be passed on.
      if (waiter !== undefined && !this.#waiting.delete(waiter))
        turn.then(
          () => this.#leave(),
          () => undefined,
        );
      this.#announce();
      throw error;
    }
  }

  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#busy = false;
      return;
    }
    this.#waiting.delete(next);
    next.resolve();
    this.#announce();
  }

  #announce(): void {
    let ahead = 0;
    for (const waiter of this.#waiting) {
      ahead += 1;
      waiter.onPosition?.(ahead);
    }
  }
}

interface Waiter {
  resolve(): void;
  reject(reason: unknown): void;
  readonly onPosition: ((ahead: number) => void) | undefined;
}
