import { noSpace } from "./disk-space.js";
import type { ModelStore, StoreCallOptions, StoreSettings } from "./model-store.js";
import type { StorePlatform } from "./store-platform.js";
import type { StoredModel, StoredModels } from "./stored-models.js";

/** What decides about the room in a store. */
export interface Room extends Required<Pick<StoreSettings, "evict" | "maxBytes">> {
  readonly platform: StorePlatform;
  readonly models: StoredModels;
}

/**
 * Makes sure that `neededBytes` more can be written, as far as that can be known, and removes models for it where that is allowed.
 * When all that may be removed would not be enough, nothing is.
 *
 * @throws OptioError `no_space` with details `neededBytes` and `freeBytes`
 */
export async function makeRoom(
  room: Room,
  neededBytes: number,
  what: string,
  onProgress?: StoreCallOptions["onProgress"],
): Promise<void> {
  const free = await freeBytes(room);
  if (free === undefined || free >= neededBytes) return;
  const leaving = room.evict === "never" ? [] : longestUnused(await room.models.list());
  const chosen: StoredModel[] = [];
  for (const model of leaving) {
    if (free + bytesOf(chosen) >= neededBytes) break;
    chosen.push(model);
  }
  if (free + bytesOf(chosen) < neededBytes) throw noSpace(what, neededBytes, free);
  for (const { id, sha256, sizeBytes } of chosen) {
    const lock = await room.platform.lock.hold(sha256, {});
    try {
      await room.models.forget(sha256);
    } finally {
      await lock.release();
    }
    onProgress?.({ phase: "evict", id, freedBytes: sizeBytes });
  }
}

/** What the disk has, and what the store's own limit leaves, whichever is less. */
async function freeBytes({ platform, models, maxBytes }: Room): Promise<number | undefined> {
  const onDisk = await platform.files.freeBytes();
  if (maxBytes === undefined) return onDisk;
  const left = Math.max(0, maxBytes - bytesOf(await models.list()));
  return onDisk === undefined ? left : Math.min(onDisk, left);
}

/** What may be removed: it can be downloaded again, and nobody asked to keep it. */
export function longestUnused(models: Awaited<ReturnType<ModelStore["list"]>>): readonly StoredModel[] {
  return models
    .filter(({ pinned, source }) => !pinned && (source === undefined || !isFile(source)))
    .toSorted((a, b) => (a.usedAt ?? "").localeCompare(b.usedAt ?? "", "en"));
}

/** Addresses and packages can be asked again; a file that somebody chose may be gone. */
function isFile(source: string): boolean {
  return !/^https?:/.test(source) && !source.startsWith("PyPI ");
}

function bytesOf(models: readonly StoredModel[]): number {
  return models.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}
