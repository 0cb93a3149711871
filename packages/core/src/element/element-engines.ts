import { createModelStore, processors } from "#platform";
import type { Engine, EngineSource } from "../engines/engine.js";
import { remote } from "../engines/remote.js";
import { wasm } from "../engines/wasm.js";
import { OptioError } from "../errors.js";
import { catalogue } from "../generated/models.js";
import { chooseVariant, detectFeatures } from "../scorer/variant.js";
import type { ModelStore } from "../store/model-store.js";
import type { EngineChoice, ModelOffer } from "./engine-choice.js";
import { failureOf } from "./model-session.js";

/** What the attributes of an element say about its engine. */
export interface ElementEngineOptions {
  /** A catalogue id or the address of a GGUF; the catalogue's default model when empty. */
  readonly model: string;
  /** Addresses to try before the catalogue's own; `{file}`, `{id}` and `{sha256}` stand for the model's. */
  readonly sources: readonly string[];
  /** Address of a System One server to fall back to; empty for none. */
  readonly bridge: string;
}

/** The WebAssembly engine with one model, and a bridge where one is given. */
export function elementEngines({ model, sources, bridge }: ElementEngineOptions): EngineChoice {
  const entry =
    model === "" ? catalogue.find(({ role }) => role === "default") : catalogue.find(({ id }) => id === model);
  const reference = entry?.id ?? model;
  const kept = createModelStore({ sources });
  let unsaved: ModelStore | undefined;
  const title = entry?.title ?? reference.split("/").at(-1) ?? reference;

  const offer = async (): Promise<ModelOffer> => {
    const status = await kept.status(reference).catch((error: unknown) => {
      // A private window keeps nothing, and the model can be used all the same.
      if (OptioError.isInstance(error, "store_failed")) return { state: "absent" } as const;
      throw error;
    });
    const total = status.state === "stored" ? status.model.sizeBytes : (entry?.bytes ?? 0);
    const storedBytes = status.state === "stored" ? total : status.state === "partial" ? status.loadedBytes : 0;
    return {
      id: reference,
      title,
      bytes: total,
      ...(entry === undefined ? {} : { licence: entry.licence }),
      ...originOf(sources[0] ?? (entry === undefined ? model : "")),
      storedBytes,
      available: true,
    };
  };

  return {
    firstModel: reference,
    unsupported() {
      try {
        chooseVariant(detectFeatures(processors()), {});
        return undefined;
      } catch (error) {
        return failureOf(error);
      }
    },
    offers: async () => [await offer()],
    source: (id, { save }): EngineSource => {
      if (!save) unsaved ??= createModelStore({ sources, save: false });
      return wasm({ model: id, store: save ? kept : (unsaved ?? kept) });
    },
    ...(bridge === "" ? {} : { bridge: remote({ url: new URL(bridge, document.baseURI) }) }),
    discard: async (id) => {
      await kept.remove(id);
    },
    freeBytes: async () => {
      const { quota, usage } = (await navigator.storage?.estimate?.()) ?? {};
      return quota === undefined || usage === undefined ? undefined : Math.max(0, quota - usage);
    },
  };
}

/** The host that a model comes from, where it is not the page's own; the catalogue's models come from its hub. */
function originOf(address: string): { readonly origin?: string } {
  if (address === "") return { origin: "huggingface.co" };
  const { host } = new URL(address.replace(/\{\w+\}/g, "x"), document.baseURI);
  return host === location.host ? {} : { origin: host };
}

/** An engine of the page's own: there is nothing to choose, to download or to delete. */
export function ownEngine(engine: EngineSource | Engine): EngineChoice {
  const id = "info" in engine ? engine.info.model.id : engine.kind;
  return {
    firstModel: id,
    unsupported: () => undefined,
    offers: async () => [{ id, title: id, bytes: 0, storedBytes: 0, available: true }],
    source: () => ("info" in engine ? { kind: engine.info.kind, start: async () => engine } : engine),
    discard: async () => undefined,
    freeBytes: async () => undefined,
  };
}

/** Engines that pages passed in; each is a session of its own, which its elements share. */
const ownEngines = new WeakMap<EngineSource | Engine, string>();
let lastOwnEngine = 0;

/** Names the session of an engine that a page passed in: its elements share it. */
export function ownEngineName(engine: EngineSource | Engine): string {
  let name = ownEngines.get(engine);
  if (name === undefined) {
    lastOwnEngine += 1;
    name = `own ${lastOwnEngine}`;
    ownEngines.set(engine, name);
  }
  return name;
}
