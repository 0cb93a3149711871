const hourMs = 3_600_000;

/** Counts what was spent in the last hour. */
export class HourlyBudget {
  readonly #perHour: number;
  readonly #now: () => number;
  /** When each of the last decisions was sent, oldest first; never more than `perHour`. */
  readonly #sent: number[] = [];

  constructor(perHour: number, now: () => number = () => performance.now()) {
    this.#perHour = perHour;
    this.#now = now;
  }

  /** Takes one from what is left of the last hour; false when nothing is. */
  spend(): boolean {
    if (!Number.isFinite(this.#perHour)) return true;
    const now = this.#now();
    while (this.#sent[0] !== undefined && this.#sent[0] <= now - hourMs) this.#sent.shift();
    if (this.#sent.length >= this.#perHour) return false;
    this.#sent.push(now);
    return true;
  }
}
