import { untilAborted } from "./call.js";
import { OptioError } from "./errors.js";

/** The right to run, while it lasts. */
export interface Turn {
  /** Lets those that wait now go first, and resolves when the turn is back. Rejects as `Turnstile.run` does while waiting. */
  pass(): Promise<void>;
}

/** Lets a few pieces of work run at a time, in the order of asking, and refuses more than a bounded number of waiters. */
export class Turnstile {
  readonly #maxWaiting: number;
  readonly #waiting = new Set<Waiter>();
  #free: number;

  /** @param lanes pieces of work that may run at the same time */
  constructor(maxWaiting: number, lanes = 1) {
    this.#maxWaiting = maxWaiting;
    this.#free = lanes;
  }

  /** How many wait for their turn. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Runs `work` when its turn comes. The turn ends when `work` settles, even if the caller has given up by then.
   *
   * @param onPosition how many are ahead, each time that changes
   * @throws OptioError `queue_full` at once; the signal's reason when aborted, while waiting or running.
   */
  async run<T>(
    signal: AbortSignal,
    work: (turn: Turn) => Promise<T>,
    onPosition?: (ahead: number) => void,
  ): Promise<T> {
    await this.#enter(signal, this.#maxWaiting, onPosition);
    let held = true;
    const pass = async (): Promise<void> => {
      if (this.#waiting.size === 0) return;
      held = false;
      // Whoever runs already has been admitted: the limit is for newcomers.
      const back = this.#enter(signal, Number.POSITIVE_INFINITY);
      this.#leave();
      await back;
      held = true;
    };
    const running = work({ pass });
    const end = () => {
      if (held) this.#leave();
    };
    running.then(end, end);
    return untilAborted(running, signal);
  }

  /** Rejects all that wait. */
  clear(reason: unknown): void {
    for (const waiter of this.#waiting) waiter.reject(reason);
    this.#waiting.clear();
  }

  async #enter(signal: AbortSignal, maxWaiting: number, onPosition?: (ahead: number) => void): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    if (this.#waiting.size >= maxWaiting) {
      throw new OptioError(
        "queue_full",
        `${this.#waiting.size} decisions are waiting already, the most that are allowed.`,
        {
          details: { maxQueue: maxWaiting },
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
      this.#free++;
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
