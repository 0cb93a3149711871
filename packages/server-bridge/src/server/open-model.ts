import { createDecider, type Decider, type DecisionPolicy, type EngineInfo, type EngineSource } from "@optio/core";
import type { ChatEvent, ChatRequest, Engine, EngineCallOptions } from "@optio/core/engines";
import { Turnstile } from "@optio/core/wire";
import { HttpError } from "./http-error.js";

export interface OpenModelSettings {
  readonly engine: EngineSource;
  readonly maxQueue: number;
  readonly policy?: DecisionPolicy;
}

/** A model from its loading to its end: what decides with it, and what talks. */
export class OpenModel {
  readonly decider: Decider;
  readonly #chats: Turnstile;
  #engine: Engine | undefined;

  constructor({ engine, maxQueue, policy }: OpenModelSettings) {
    const start: EngineSource["start"] = async (options) => {
      this.#engine = await engine.start(options);
      return this.#engine;
    };
    this.decider = createDecider({
      engine: { ...engine, start },
      maxQueue,
      ...(policy === undefined ? {} : { policy }),
    });
    this.#chats = new Turnstile(maxQueue);
  }

  /** Loads it, unless it is. */
  ready(signal: AbortSignal | undefined): Promise<EngineInfo> {
    return this.decider.ready(signal === undefined ? {} : { signal });
  }

  /**
   * Goes on with a conversation when its turn comes.
   *
   * @throws HttpError 501 for engines that only decide
   * @throws OptioError `queue_full` and those of the engine
   */
  chat(request: ChatRequest, options: EngineCallOptions): AsyncGenerator<ChatEvent> {
    return inTurn(this.#chats, options.signal, () => {
      if (this.#engine?.chat !== undefined) return this.#engine.chat(request, options);
      throw new HttpError(501, "not_implemented", "The engine of this server only decides.", {
        hint: "Send `questions` (System One), or serve with the native or the wasm engine.",
      });
    });
  }

  close(): Promise<void> {
    return this.decider.close();
  }
}

/** Keeps a turn for as long as the events are read. */
async function* inTurn<T>(gate: Turnstile, signal: AbortSignal, work: () => AsyncIterable<T>): AsyncGenerator<T> {
  let leave = (): void => undefined;
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  await new Promise<void>((enter, refuse) => {
    gate
      .run(signal, () => {
        enter();
        return left;
      })
      .catch(refuse);
  });
  try {
    yield* work();
  } finally {
    leave();
  }
}
