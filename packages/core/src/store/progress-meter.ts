import type { StoreProgress } from "./store-platform.js";

const windowMs = 5000;
/** Speed is not taken over less than this: the first bytes of a transfer come in a burst. */
const shortestMs = 500;

/** Bytes a second over the last five seconds; falls to 0 when nothing comes. */
export class SpeedWindow {
  readonly #started: number;
  #arrivals: { readonly at: number; readonly bytes: number }[] = [];

  constructor(now: number) {
    this.#started = now;
  }

  add(bytes: number, now: number): void {
    // Arrivals of the same tenth of a second count together, so that the list stays short.
    const at = Math.floor(now / 100) * 100;
    const last = this.#arrivals.at(-1);
    if (last?.at === at) this.#arrivals[this.#arrivals.length - 1] = { at, bytes: last.bytes + bytes };
    else this.#arrivals.push({ at, bytes });
  }

  bytesPerSecond(now: number): number {
    this.#arrivals = this.#arrivals.filter(({ at }) => at > now - windowMs);
    const bytes = this.#arrivals.reduce((sum, arrival) => sum + arrival.bytes, 0);
    const spanMs = Math.min(windowMs, Math.max(shortestMs, now - this.#started));
    return (bytes * 1000) / spanMs;
  }
}

/**
 * Reports the progress of one download at even intervals, also while nothing arrives, so that a stall shows as speed 0.
 */
export class ProgressMeter {
  readonly #report: (progress: StoreProgress) => void;
  readonly #tickMs: number;
  readonly #speed = new SpeedWindow(Date.now());
  #loaded = 0;
  #total = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #lastVerify = 0;

  constructor(report: (progress: StoreProgress) => void, tickMs: number) {
    this.#report = report;
    this.#tickMs = tickMs;
  }

  /** Says where the download stands, without counting it as speed. */
  standAt(loaded: number, total: number | undefined): void {
    this.#loaded = loaded;
    if (total !== undefined) this.#total = total;
    this.#timer ??= setInterval(() => this.#tick(), this.#tickMs);
  }

  /** Counts bytes that came over the network. */
  received(bytes: number): void {
    this.#loaded += bytes;
    this.#speed.add(bytes, Date.now());
  }

  /** Bytes that were read again to check them. */
  verified(loaded: number, total: number): void {
    const now = Date.now();
    if (loaded < total && now - this.#lastVerify < this.#tickMs) return;
    this.#lastVerify = now;
    this.#report({ phase: "verify", loaded, total });
  }

  /** Ends the reports, with a last one if the download ever stood somewhere. */
  stop(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#tick();
  }

  #tick(): void {
    // What is compressed on the way may count more bytes than the file has.
    const loaded = this.#total === 0 ? this.#loaded : Math.min(this.#loaded, this.#total);
    const bytesPerSecond = Math.round(this.#speed.bytesPerSecond(Date.now()));
    this.#report({ phase: "download", loaded, total: this.#total, bytesPerSecond });
  }
}
