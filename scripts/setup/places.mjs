import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The clone that these scripts belong to. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** Downloads and builds that outlive a clone: `OPTIO_CACHE`, or `~/.cache/optio`. */
export const cache = process.env["OPTIO_CACHE"] ? resolve(process.env["OPTIO_CACHE"]) : join(homedir(), ".cache/optio");

/** Stamps of what lies inside the clone; goes away with `node_modules`. */
export const cloneStamps = join(root, "node_modules/.optio/stamps");

/** Stamps of what lies in the cache. */
export const cacheStamps = join(cache, "stamps");

/** Full output of each step, kept for reading after a failure. */
export const logs = join(cache, "logs");

/** The package manager's version, as package.json pins it. */
export function pinnedPnpm() {
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const version = /^pnpm@(\d+\.\d+\.\d+)$/.exec(packageManager)?.[1];
  if (!version)
    throw new Error(`package.json: packageManager is ${packageManager}, expected pnpm@ and an exact version`);
  return version;
}

/** The pinned package manager's own program. */
export function pnpmProgram() {
  return join(cache, "pnpm", pinnedPnpm(), "node_modules/pnpm/bin/pnpm.cjs");
}
