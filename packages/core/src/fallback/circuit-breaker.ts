export interface BreakerSettings {
  /** Failures in a row after which the engine is left alone, 1 or more. Default 3. */
  readonly failures?: number;
  /** Milliseconds for which it is left alone; then one decision tries it again. Default 30,000. */
  readonly coolDownMs?: number;
}

/**
 * Keeps decisions from waiting for an engine that has just failed several times. After the cool-down one decision at a time tries
 * it, and its success lets the others back in.
 */
export class CircuitBreaker {
  readonly #failures: number;
  readonly #coolDownMs: number;
  readonly #now: () => number;
  #inARow = 0;
  #openUntil: number | undefined;
  #probing = false;

  constructor({ failures = 3, coolDownMs = 30_000 }: BreakerSettings, now: () => number = () => performance.now()) {
    this.#failures = failures;
    this.#coolDownMs = coolDownMs;
    this.#now = now;
  }

  /** Whether a decision may try the engine. One that may must tell how it went, by `succeeded`, `failed` or `undecided`. */
  admit(): boolean {
    if (this.#openUntil === undefined) return true;
    if (this.#probing || this.#now() < this.#openUntil) return false;
    this.#probing = true;
    return true;
  }

  succeeded(): void {
    this.#inARow = 0;
    this.#openUntil = undefined;
    this.#probing = false;
  }

  failed(): void {
    this.#probing = false;
    this.#inARow++;
    if (this.#inARow >= this.#failures) this.#openUntil = this.#now() + this.#coolDownMs;
  }

  /** For outcomes that say nothing about the engine, such as an abort. */
  undecided(): void {
    this.#probing = false;
  }
}
