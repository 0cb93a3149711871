import { noul } from "@optio/core";
import type { Models } from "./models.js";

/** Whether a server can answer: known only after a real decision. */
export class Readiness {
  readonly #models: Models;
  #ready = false;
  #failure: unknown;

  constructor(models: Models) {
    this.#models = models;
  }

  get ready(): boolean {
    return this.#ready;
  }

  /** Why the last attempt failed. */
  get failure(): unknown {
    return this.#failure;
  }

  /**
   * Loads the model and decides once.
   *
   * @throws OptioError those of the engine
   */
  async prove(signal?: AbortSignal): Promise<void> {
    const control = signal === undefined ? {} : { signal };
    try {
      using served = await this.#models.acquire(undefined, signal);
      await served.decider.decide({
        state: "The sky is blue.",
        questions: { blue: noul("Is the sky blue?") },
        ...control,
      });
      this.#ready = true;
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  /** No longer: the server is about to end. */
  end(): void {
    this.#ready = false;
  }
}
