import { createDecider, type Decider, type DecisionPolicy, type EngineInfo, type EngineSource } from "@optio/core";
import { HttpError } from "./http-error.js";

/** A model that is there, and what decides with it. */
export interface ServedModel {
  readonly info: EngineInfo;
  readonly decider: Decider;
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
  const decider = createDecider({ engine, maxQueue, ...(policy === undefined ? {} : { policy }) });
  const names = new Set([ownAlias, ...(aliases ? hostedAliases : [])]);
  let info: EngineInfo | undefined;
  return {
    async get(name, signal) {
      info ??= await decider.ready(signal === undefined ? {} : { signal });
      if (name !== undefined && name !== info.model.id && !names.has(name)) {
        throw new HttpError(400, "api_usage_error", `There is no model ${JSON.stringify(name)}.`, {
          hint: `Name ${info.model.id} or ${ownAlias}, or leave the model out.`,
        });
      }
      return { info, decider };
    },
    loaded: () => (info === undefined ? [] : [info]),
    [Symbol.asyncDispose]: () => decider.close(),
  };
}
