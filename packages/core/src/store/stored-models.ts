import { z } from "zod";
import type { CatalogueEntry } from "./catalogue.js";
import type { ModelFile } from "./model-file.js";
import { addedModelId } from "./model-id.js";
import type { StorePlatform } from "./store-platform.js";

/** A model whose bytes are on this machine. */
export interface StoredModel {
  /** The catalogue's id, or one made of the file name. */
  readonly id: string;
  readonly fileName: string;
  readonly sizeBytes: number;
  /** SHA-256 of the file, lower-case hex. */
  readonly sha256: string;
  /** Present for models of the catalogue. */
  readonly entry?: CatalogueEntry;
  /** Address, package or path that the bytes came from; absent when nothing recorded it. */
  readonly source?: string;
  /**
   * What vouches for the bytes. `published`: the catalogue's hash. `first-use`: nothing does; the hash is that of the first
   * download, and later checks only prove that they have not changed since.
   */
  readonly trust: "published" | "first-use";
  /** When the model was last asked for, in ISO 8601; absent when nothing recorded it. */
  readonly usedAt?: string;
  /** Kept when room is made for other models. */
  readonly pinned: boolean;
  /** What a worker opens. */
  readonly file: ModelFile;
}

/** What is recorded beside a model. */
const modelFactsSchema = z.object({
  source: z.string().optional(),
  addedAt: z.string().optional(),
  usedAt: z.string().optional(),
  pinned: z.boolean().optional(),
});

export type ModelFacts = z.infer<typeof modelFactsSchema>;

const shaPattern = /^[0-9a-f]{64}$/;

/** The models in the store: `<sha256>/<file>` each, which alone is what makes a model stored. */
export class StoredModels {
  readonly #platform: StorePlatform;
  readonly #catalogue: readonly CatalogueEntry[];

  constructor(platform: StorePlatform, catalogue: readonly CatalogueEntry[]) {
    this.#platform = platform;
    this.#catalogue = catalogue;
  }

  async list(): Promise<readonly StoredModel[]> {
    const found: StoredModel[] = [];
    const taken = new Set(this.#catalogue.map(({ id }) => id));
    for (const folder of [...(await this.#platform.files.list(""))].sort()) {
      if (!shaPattern.test(folder)) continue;
      const model = await this.#read(folder, taken);
      if (model === undefined) continue;
      found.push(model);
      taken.add(model.id);
    }
    return found.sort((a, b) => a.id.localeCompare(b.id, "en"));
  }

  /** The model with this hash. */
  async bySha(sha256: string): Promise<StoredModel | undefined> {
    // A model of the catalogue is found without a look at the others.
    if (this.#catalogue.some((entry) => entry.sha256 === sha256)) return this.#read(sha256, new Set());
    return (await this.list()).find((model) => model.sha256 === sha256);
  }

  async byId(id: string): Promise<StoredModel | undefined> {
    return (await this.list()).find((model) => model.id === id);
  }

  async bySource(source: string): Promise<StoredModel | undefined> {
    return (await this.list()).find((model) => model.source === source);
  }

  async record(sha256: string, facts: ModelFacts): Promise<void> {
    await this.#platform.facts.set(factsKey(sha256), facts);
  }

  /** Notes that the model was asked for, so that those long unused can be named when space is short. */
  async touch(sha256: string): Promise<void> {
    const facts = await this.#facts(sha256);
    await this.record(sha256, { ...facts, usedAt: new Date().toISOString() });
  }

  async pin(sha256: string, pinned: boolean): Promise<void> {
    await this.record(sha256, { ...(await this.#facts(sha256)), pinned });
  }

  async forget(sha256: string): Promise<void> {
    await this.#platform.facts.delete(factsKey(sha256));
    await this.#platform.files.remove(sha256);
  }

  async #read(sha256: string, taken: ReadonlySet<string>): Promise<StoredModel | undefined> {
    const { files } = this.#platform;
    const entry = this.#catalogue.find((candidate) => candidate.sha256 === sha256);
    for (const fileName of await files.list(sha256)) {
      if (!/\.gguf$/i.test(fileName)) continue;
      const path = `${sha256}/${fileName}`;
      const sizeBytes = await files.size(path);
      if (sizeBytes === undefined || (entry !== undefined && sizeBytes !== entry.bytes)) continue;
      const { source, usedAt, pinned = false } = await this.#facts(sha256);
      return {
        id: entry?.id ?? addedModelId(fileName, sha256, taken),
        fileName,
        sizeBytes,
        sha256,
        ...(entry === undefined ? {} : { entry }),
        ...(source === undefined ? {} : { source }),
        ...(usedAt === undefined ? {} : { usedAt }),
        trust: entry === undefined ? "first-use" : "published",
        pinned,
        file: await files.modelFile(path),
      };
    }
    return undefined;
  }

  async #facts(sha256: string): Promise<ModelFacts> {
    return modelFactsSchema.safeParse(await this.#platform.facts.get(factsKey(sha256))).data ?? {};
  }
}

function factsKey(sha256: string): string {
  return `${sha256}/facts`;
}
