import { OptioError } from "../errors.js";
import { byteSize } from "./byte-size.js";
import type { CatalogueEntry } from "./catalogue.js";
import type { WantedModel } from "./fetch-model.js";
import { hashOf, type ReadOptions } from "./local-model.js";
import type { DownloadSource } from "./model-sources.js";
import type { StorePlatform } from "./store-platform.js";
import type { StoredModel, StoredModels } from "./stored-models.js";

/** Removes a folder of the store with the facts about what is in it, unless it is where a model has come to lie. */
export async function cleanUp(platform: StorePlatform, folder: string, keep: string): Promise<void> {
  const names = await platform.files.list(folder);
  for (const name of names.filter((candidate) => candidate.endsWith(".part"))) {
    await platform.facts.delete(`${folder}/${name}`);
    await platform.files.remove(`${folder}/${name}`);
  }
  if (folder !== keep) await platform.files.remove(folder);
}

/** Bytes of all files in a folder of the store. */
export async function folderBytes({ files }: StorePlatform, folder: string): Promise<number> {
  const sizes = await Promise.all((await files.list(folder)).map((name) => files.size(`${folder}/${name}`)));
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
}

/** @throws OptioError `hash_mismatch` when the bytes are no longer those that were stored; nothing is removed. */
export async function verifyModel(platform: StorePlatform, model: StoredModel, options: ReadOptions): Promise<void> {
  const path = `${model.sha256}/${model.fileName}`;
  const found = await hashOf(platform, platform.files.read(path), model.sizeBytes, model.id, options);
  if (found === model.sha256) return;
  throw new OptioError(
    "hash_mismatch",
    `${model.id} has the SHA-256 ${found} instead of ${model.sha256}: it is damaged`,
    {
      hint: `Remove it with \`optio models remove ${model.id}\` and download it again.`,
      details: { found, expected: model.sha256 },
    },
  );
}

/**
 * A file of the catalogue that has another size is not a stored model, but it is there.
 *
 * @throws OptioError `hash_mismatch` for such a file
 */
export async function checkSize({ files }: StorePlatform, entry: CatalogueEntry): Promise<void> {
  const foundBytes = await files.size(`${entry.sha256}/${entry.file}`);
  if (foundBytes === undefined || foundBytes === entry.bytes) return;
  throw new OptioError(
    "hash_mismatch",
    `${entry.id} has ${foundBytes} bytes instead of ${entry.bytes}: it is damaged`,
    {
      hint: `\`optio models pull ${entry.id}\` replaces it.`,
      details: { foundBytes, expectedBytes: entry.bytes },
    },
  );
}

/** Adds to `no_space` what could be removed: the models that were not used for longest come first. */
export async function withRoomToMake(error: OptioError, models: StoredModels): Promise<OptioError> {
  const stored = [...(await models.list())].sort((a, b) => (a.usedAt ?? "").localeCompare(b.usedAt ?? "", "en"));
  if (stored.length === 0) return error;
  const names = stored.map(({ id, sizeBytes }) => `${id} (${byteSize(sizeBytes)})`).join(", ");
  return new OptioError("no_space", error.message, {
    hint: `Free some space, for example by \`optio models remove\`; longest unused first: ${names}.`,
    details: error.details,
    cause: error,
  });
}

export function notStored(id: string): OptioError {
  return new OptioError("model_not_found", `${id} is not stored here`, { hint: "`optio models list` shows what is." });
}

/** What is recorded about where a model came from. */
export function sourceLabel(source: DownloadSource): string {
  return source.kind === "address" ? source.address : source.label;
}

/** How a model without a published hash is found again: by the address that it came from. */
export function sourceText({ sources: [source] }: WantedModel): string {
  if (source === undefined) throw new OptioError("internal", "A model was wanted from nowhere.");
  return sourceLabel(source);
}

export async function* blobBytes(blob: Blob): AsyncGenerator<Uint8Array> {
  const step = 4 * 1024 * 1024;
  for (let at = 0; at < blob.size; at += step) {
    yield new Uint8Array(await blob.slice(at, at + step).arrayBuffer());
  }
}
