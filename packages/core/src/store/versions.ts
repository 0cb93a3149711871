import { z } from "zod";
import { OptioError } from "../errors.js";
import type { ModelStore } from "./model-store.js";
import type { StorePlatform } from "./store-platform.js";

/** How what lies in a store is laid out. Raised with a migration below, never otherwise. */
export const storeVersion = 2;

/** Brings a store from the version before to the one that it is named after. It may be run again after it was interrupted. */
type Migration = (platform: StorePlatform) => Promise<void>;

const migrations: Readonly<Record<number, Migration>> = {
  /** Records say whether their model is pinned. */
  2: async ({ files, facts }) => {
    for (const folder of await files.list("")) {
      const known = await facts.get(`${folder}/facts`);
      if (typeof known !== "object" || known === null || "pinned" in known) continue;
      await facts.set(`${folder}/facts`, { ...known, pinned: false });
    }
  },
};

const versionSchema = z.object({ version: z.int().positive() });
const key = "version";

/**
 * Brings the store to the present version; the first version said nothing about itself.
 *
 * @throws OptioError `store_failed` for a store that a later version of optio wrote: this one could only damage it.
 */
export async function migrate(platform: StorePlatform): Promise<void> {
  if ((await versionOf(platform)) === storeVersion) return;
  const lock = await platform.lock.hold("store-version", {});
  try {
    for (let version = await versionOf(platform); version < storeVersion; version += 1) {
      await migrations[version + 1]?.(platform);
      await platform.facts.set(key, { version: version + 1 });
    }
  } finally {
    await lock.release();
  }
}

async function versionOf({ facts }: StorePlatform): Promise<number> {
  const version = versionSchema.safeParse(await facts.get(key)).data?.version ?? 1;
  if (version <= storeVersion) return version;
  throw new OptioError(
    "store_failed",
    `The model store has version ${version}; this optio knows up to ${storeVersion}.`,
    {
      hint: "Update optio, or use a store of its own: another folder, or another origin.",
      details: { version, known: storeVersion },
    },
  );
}

/** The store whose first call migrates it. A migration that failed is tried again by the next call. */
export function migratedFirst(platform: StorePlatform, store: ModelStore): ModelStore {
  let migrated: Promise<void> | undefined;
  const ready = (): Promise<void> => {
    migrated ??= migrate(platform).catch((error: unknown) => {
      migrated = undefined;
      throw error;
    });
    return migrated;
  };
  return {
    list: () => ready().then(() => store.list()),
    status: (...call) => ready().then(() => store.status(...call)),
    get: (...call) => ready().then(() => store.get(...call)),
    add: (...call) => ready().then(() => store.add(...call)),
    verify: (...call) => ready().then(() => store.verify(...call)),
    remove: (...call) => ready().then(() => store.remove(...call)),
    pin: (...call) => ready().then(() => store.pin(...call)),
    export: (...call) => ready().then(() => store.export(...call)),
  };
}
