import { z } from "zod";
import { OptioError } from "../errors.js";
import type { CatalogueEntry } from "./catalogue.js";
import { checkMagic, ggufMagic } from "./gguf-magic.js";
import { addedModelId, modelFileName } from "./model-id.js";
import type { LocalFiles, StorePlatform, StoreProgress } from "./store-platform.js";
import type { StoredModel } from "./stored-models.js";

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: StoreProgress) => void) | undefined;
}

/** The hash of a file that did not change since. */
const hashedSchema = z.object({
  path: z.string(),
  sha256: z.string(),
  sizeBytes: z.number(),
  modifiedMs: z.number(),
});

/**
 * The user's own file as a model, where it lies. Its hash is computed once and kept until the file changes.
 *
 * @throws OptioError `model_not_found`, `model_invalid`, `store_failed`; the signal's reason when aborted.
 */
export async function localModel(
  platform: StorePlatform,
  local: LocalFiles,
  given: string,
  catalogue: readonly CatalogueEntry[],
  options: ReadOptions,
): Promise<StoredModel> {
  const path = local.absolute(given);
  const stat = await local.stat(path);
  if (stat === undefined) throw new OptioError("model_not_found", `there is no file ${path}`);
  const key = `paths/${textHash(platform, path)}`;
  const known = hashedSchema.safeParse(await platform.facts.get(key)).data;
  const unchanged = known?.sizeBytes === stat.sizeBytes && known.modifiedMs === stat.modifiedMs;
  const sha256 = unchanged ? known.sha256 : await hashOf(platform, local.read(path), stat.sizeBytes, path, options);
  if (!unchanged) await platform.facts.set(key, { path, sha256, ...stat });

  const entry = catalogue.find((candidate) => candidate.sha256 === sha256);
  const fileName = modelFileName(path);
  return {
    id: entry?.id ?? addedModelId(fileName, sha256, new Set(catalogue.map(({ id }) => id))),
    fileName,
    sizeBytes: stat.sizeBytes,
    sha256,
    ...(entry === undefined ? {} : { entry }),
    source: path,
    trust: entry === undefined ? "first-use" : "published",
    pinned: false,
    file: { kind: "path", path },
  };
}

/**
 * SHA-256 of a GGUF.
 *
 * @throws OptioError `model_invalid` when it is none; the signal's reason when aborted.
 */
export async function hashOf(
  platform: Pick<StorePlatform, "createHash">,
  bytes: AsyncIterable<Uint8Array>,
  sizeBytes: number,
  what: string,
  { signal, onProgress }: ReadOptions,
): Promise<string> {
  const hash = platform.createHash();
  let loaded = 0;
  let reportedAt = 0;
  for await (const chunk of bytes) {
    signal?.throwIfAborted();
    if (loaded === 0) checkMagic(chunk, ggufMagic, what);
    hash.update(chunk);
    loaded += chunk.length;
    if (loaded - reportedAt < sizeBytes / 100 && loaded < sizeBytes) continue;
    reportedAt = loaded;
    onProgress?.({ phase: "verify", loaded, total: sizeBytes });
  }
  if (loaded === 0) checkMagic(new Uint8Array(0), ggufMagic, what);
  return hash.hex();
}

/** A short name for something that is too long for one. */
export function textHash(platform: Pick<StorePlatform, "createHash">, text: string): string {
  const hash = platform.createHash();
  hash.update(new TextEncoder().encode(text));
  return hash.hex().slice(0, 24);
}
