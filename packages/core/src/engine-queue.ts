import type { Call } from "./call.js";
import type { Engine, EngineInfo, EngineKind, EngineSource, Progress } from "./engines/engine.js";
import { type Turn, Turnstile } from "./turnstile.js";

/** What a piece of work gets when its turn has come. */
export interface Run {
  readonly engine: Engine;
  /** Milliseconds that it waited for its turn. */
  readonly queueMs: number;
  readonly turn: Turn;
}

export interface RunOptions {
  readonly starting: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** An engine that is started at its first use, and a bounded queue of those who wait for it. */
export class EngineQueue {
  readonly kind: EngineKind;
  /** The host that states are sent to; absent when they stay here. */
  readonly destination: string | undefined;
  readonly #given: EngineSource | Engine;
  readonly #turnstile: Turnstile;
  #engine: Promise<Engine> | undefined;

  constructor(given: EngineSource | Engine, maxQueue: number) {
    const isSource = "start" in given;
    this.kind = isSource ? given.kind : given.info.kind;
    this.destination = isSource ? given.destination : given.info.destination;
    this.#given = given;
    this.#turnstile = new Turnstile(maxQueue, (isSource ? given.concurrency : given.info.concurrency) ?? 1);
  }

  /** How many wait. */
  get waiting(): number {
    return this.#turnstile.waiting;
  }

  /**
   * Runs `work` with the started engine when its turn comes, within the call's limits. `starting` ends a start that this call
   * makes: one that outlives a call which is given up for another engine is there for the next.
   *
   * @throws OptioError `queue_full` at once; those of the engine's start; what `work` throws; the signal's reason.
   */
  run<T>(call: Call, work: (run: Run) => Promise<T>, { starting, onProgress }: RunOptions): Promise<T> {
    const began = performance.now();
    return this.#turnstile.run(
      call.signal,
      async (turn) => {
        const queueMs = performance.now() - began;
        return work({ engine: await this.#started(starting, onProgress), queueMs, turn });
      },
      (ahead) => onProgress?.({ phase: "queue", ahead }),
    );
  }

  /** Starts the engine if it does not run yet, and says what it is. */
  ready(call: Call, onProgress?: (progress: Progress) => void): Promise<EngineInfo> {
    return this.#turnstile.run(call.signal, async () => (await this.#started(call.signal, onProgress)).info);
  }

  /** Rejects those that wait with `reason`, and closes the engine. */
  async close(reason: unknown): Promise<void> {
    this.#turnstile.clear(reason);
    const engine = await this.#engine?.catch(() => undefined);
    await engine?.close();
  }

  /** The running engine. A start that failed or was aborted is tried anew by the next call. */
  async #started(signal: AbortSignal, onProgress?: (progress: Progress) => void): Promise<Engine> {
    if (this.#engine === undefined) {
      const given = this.#given;
      const progress = onProgress === undefined ? {} : { onProgress };
      const starting = "start" in given ? given.start({ signal, ...progress }) : Promise.resolve(given);
      this.#engine = starting;
      starting.catch(() => {
        if (this.#engine === starting) this.#engine = undefined;
      });
    }
    return this.#engine;
  }
}
