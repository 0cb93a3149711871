import { createDecider, type Decider, type DecisionPolicy, type EngineInfo, type EngineSource } from "@optio/core";
import type { ChatEvent, ChatRequest, Engine, EngineCallOptions } from "@optio/core/engines";
import { Turnstile } from "@optio/core/wire";
import { HttpError } from "./http-error.js";

/** A model that is there, and what decides with it. */
export interface ServedModel {
  readonly info: EngineInfo;
  readonly decider: Decider;
  /**
   * Goes on with a conversation when its turn comes.
   *
   * @throws HttpError 501 for engines that only decide
   * @throws OptioError `queue_full` and those of the engine
   */
  chat(request: ChatRequest, options: EngineCallOptions): AsyncGenerator<ChatEvent>;
}

/** Which models a server has. */
export interface Models extends AsyncDisposable {
  /**
   * The model that a request names, or the usual one.
   *
   * @throws HttpError 400 for a name that nothing answers to
   * @throws OptioError those of the engine's start
   */
  get(name: string | undefined, signal?: AbortSignal): Promise<ServedModel>;
  /** What is loaded. */
  loaded(): readonly EngineInfo[];
}

/** Names that mean the model that is there. */
const ownAlias = "optio-latest";
/** Those of the hosted service, so that its clients need not be changed. */
const hostedAliases = ["jev-latest", "jev-preview", "jev-1.13.0"];

export interface OneModelSettings {
  readonly engine: EngineSource;
  /** Whether the hosted service's names are taken as well. */
  readonly aliases: boolean;
  readonly maxQueue: number;
  readonly policy?: DecisionPolicy;
}

/** A server's single model. It is loaded at the first use, and again after a start that failed. */
export function oneModel({ engine, aliases, maxQueue, policy }: OneModelSettings): Models {
  let running: Engine | undefined;
  const kept: EngineSource = {
    ...engine,
    start: async (options) => {
      running = await engine.start(options);
      return running;
    },
  };
  const decider = createDecider({ engine: kept, maxQueue, ...(policy === undefined ? {} : { policy }) });
  const names = new Set([ownAlias, ...(aliases ? hostedAliases : [])]);
  const chats = new Turnstile(maxQueue);
  const chat = (request: ChatRequest, options: EngineCallOptions): AsyncGenerator<ChatEvent> =>
    inTurn(chats, options.signal, () => {
      if (running?.chat !== undefined) return running.chat(request, options);
      throw new HttpError(501, "not_implemented", "The engine of this server only decides.", {
        hint: "Send `questions` (System One), or serve with the native or the wasm engine.",
      });
    });
  let info: EngineInfo | undefined;
  return {
    async get(name, signal) {
      info ??= await decider.ready(signal === undefined ? {} : { signal });
      if (name !== undefined && name !== info.model.id && !names.has(name)) {
        throw new HttpError(400, "api_usage_error", `There is no model ${JSON.stringify(name)}.`, {
          hint: `Name ${info.model.id} or ${ownAlias}, or leave the model out.`,
        });
      }
      return { info, decider, chat };
    },
    loaded: () => (info === undefined ? [] : [info]),
    [Symbol.asyncDispose]: () => decider.close(),
  };
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
