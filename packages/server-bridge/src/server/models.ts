import { type Decider, type DecisionPolicy, type EngineInfo, type EngineSource, OptioError } from "@optio/core";
import { Turnstile } from "@optio/core/wire";
import { HttpError } from "./http-error.js";
import { OpenModel } from "./open-model.js";

/** A model that is loaded and stays so until it is given back. */
export interface ServedModel extends Disposable {
  readonly info: EngineInfo;
  readonly decider: Decider;
  readonly chat: OpenModel["chat"];
}

/** Which models a server has. */
export interface Models extends AsyncDisposable {
  /**
   * The model that a request names, or the usual one, loaded if it was not. Others that nobody uses make room for it, the least
   * recently used first. To be disposed of by whoever asks.
   *
   * @throws HttpError 400 for a name that nothing answers to
   * @throws OptioError those of the engine's start; `out_of_memory` for a model that is larger than all may be together
   */
  acquire(name: string | undefined, signal?: AbortSignal): Promise<ServedModel>;
  /** All that a request can name, the usual one first, and what is loaded of it. */
  list(): readonly { readonly name: string; readonly info: EngineInfo | undefined }[];
  /** What is loaded. */
  loaded(): readonly EngineInfo[];
}

export interface ModelSource {
  /** As the settings name it: an id, a path or an address. */
  readonly name: string;
  readonly engine: EngineSource;
  /** Bytes of its file; 0 when they are not known before it is loaded. */
  readonly sizeBytes?: () => Promise<number>;
}

export interface ModelsSettings {
  /** At least one; the first is the usual one. */
  readonly models: readonly ModelSource[];
  /** Whether the hosted service's names are taken as well. */
  readonly aliases: boolean;
  /** Requests that may wait for a model. */
  readonly maxQueue: number;
  readonly policy?: DecisionPolicy;
  /** Models that are loaded at the same time. Default 1. */
  readonly maxLoaded?: number;
  /** Bytes that the files of loaded models have together. Default: no limit. */
  readonly maxBytes?: number;
}

/** Names that mean the usual model. */
const ownAlias = "optio-latest";
/** Those of the hosted service, so that its clients need not be changed. */
const hostedAliases = ["jev-latest", "jev-preview", "jev-1.13.0"];

export function createModels(settings: ModelsSettings): Models {
  return new LoadedOnDemand(settings);
}

interface Entry {
  readonly source: ModelSource;
  /** The name of a file without its folder and ending, which is how models that are no entry of the catalogue are called. */
  readonly id: string;
  users: number;
  usedAt: number;
  bytes: number;
  open: OpenModel | undefined;
  info: EngineInfo | undefined;
}

class LoadedOnDemand implements Models {
  readonly #settings: ModelsSettings;
  readonly #entries: readonly Entry[];
  readonly #aliases: ReadonlySet<string>;
  /** One model is loaded at a time: what another takes is known only then. */
  readonly #door = new Turnstile(Number.POSITIVE_INFINITY);
  #uses = 0;
  /** Told when a model is given back. */
  #onRelease: (() => void) | undefined;

  constructor(settings: ModelsSettings) {
    this.#settings = settings;
    this.#entries = settings.models.map((source) => ({
      source,
      id: idOf(source.name),
      users: 0,
      usedAt: 0,
      bytes: 0,
      open: undefined,
      info: undefined,
    }));
    this.#aliases = new Set([ownAlias, ...(settings.aliases ? hostedAliases : [])]);
  }

  async acquire(name: string | undefined, signal?: AbortSignal): Promise<ServedModel> {
    const entry = await this.#find(name, signal);
    const { open, info } = await this.#hold(entry, signal);
    let held = true;
    return {
      info,
      decider: open.decider,
      chat: (request, options) => open.chat(request, options),
      [Symbol.dispose]: () => {
        if (held) this.#release(entry);
        held = false;
      },
    };
  }

  list() {
    return this.#entries.map(({ source, info, id }) => ({
      name: info?.model.id ?? (id === "" ? source.name : id),
      info,
    }));
  }

  loaded(): readonly EngineInfo[] {
    return this.#entries.flatMap(({ info, open }) => (open === undefined || info === undefined ? [] : [info]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#entries.map(({ open }) => open?.close()));
  }

  async #find(name: string | undefined, signal: AbortSignal | undefined): Promise<Entry> {
    const [usual] = this.#entries;
    if (usual === undefined) throw new OptioError("internal", "The server has no model.");
    if (name === undefined || this.#aliases.has(name)) return usual;
    const known = (): Entry | undefined =>
      this.#entries.find(({ source, id, info }) => [source.name, id, info?.model.id].includes(name));
    const found = known();
    if (found !== undefined) return found;
    // The id of an only model may be known only once it is loaded.
    if (this.#entries.length === 1 && usual.info === undefined) {
      await this.#hold(usual, signal);
      this.#release(usual);
    }
    const late = known();
    if (late !== undefined) return late;
    const names = this.list().map((each) => each.name);
    throw new HttpError(400, "api_usage_error", `There is no model ${JSON.stringify(name)}.`, {
      hint: `Name ${[...names, ownAlias].join(" or ")}, or leave the model out.`,
      field: "model",
    });
  }

  /** Loads it if need be, and counts a user of it: who still waits is none, or a model could wait for those who wait for it. */
  async #hold(entry: Entry, signal: AbortSignal | undefined): Promise<{ open: OpenModel; info: EngineInfo }> {
    const { open, info } = entry;
    if (open !== undefined && info !== undefined) {
      entry.users++;
      return { open, info };
    }
    return this.#door.run(signal ?? new AbortController().signal, async () => {
      if (entry.open === undefined || entry.info === undefined) await this.#load(entry, signal);
      if (entry.open === undefined || entry.info === undefined) throw new OptioError("internal", "A model is missing.");
      entry.users++;
      return { open: entry.open, info: entry.info };
    });
  }

  #release(entry: Entry): void {
    entry.users--;
    entry.usedAt = ++this.#uses;
    this.#onRelease?.();
  }

  async #load(entry: Entry, signal: AbortSignal | undefined): Promise<void> {
    await this.#makeRoom(entry, signal);
    const { maxQueue, policy } = this.#settings;
    entry.open ??= new OpenModel({
      engine: entry.source.engine,
      maxQueue,
      ...(policy === undefined ? {} : { policy }),
    });
    entry.info = await entry.open.ready(signal);
  }

  async #makeRoom(entry: Entry, signal: AbortSignal | undefined): Promise<void> {
    const { maxLoaded = 1, maxBytes = Number.POSITIVE_INFINITY } = this.#settings;
    if (Number.isFinite(maxBytes)) entry.bytes = (await entry.source.sizeBytes?.()) ?? 0;
    if (entry.bytes > maxBytes) {
      throw new OptioError(
        "out_of_memory",
        `${entry.source.name} has ${entry.bytes} bytes, more than the ${maxBytes} that models may have together.`,
        { hint: "Raise maxModelBytes, or serve a smaller model." },
      );
    }
    const others = () => this.#entries.filter((each) => each !== entry && each.open !== undefined);
    const isFull = () =>
      others().length >= maxLoaded || others().reduce((sum, { bytes }) => sum + bytes, entry.bytes) > maxBytes;
    while (isFull()) {
      const [oldest] = others()
        .filter(({ users }) => users === 0)
        .sort((a, b) => a.usedAt - b.usedAt);
      if (oldest === undefined) await this.#untilReleased(signal);
      else await unload(oldest);
    }
  }

  #untilReleased(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => reject(signal?.reason);
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#onRelease = () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      };
    });
  }
}

async function unload(entry: Entry): Promise<void> {
  const { open } = entry;
  entry.open = undefined;
  await open?.close();
}

function idOf(name: string): string {
  const file = name.split(/[/\\]/u).at(-1) ?? name;
  return file.replace(/\.gguf$/iu, "").toLowerCase();
}
