// Folders outside the repository that hold what is expensive to make: named by their content, complete or absent, safe to share
// between processes and to interrupt at any moment.

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const STALE_MS = 24 * 3600 * 1000;

/** Where everything is kept: OPTIO_CACHE, or .cache/optio in the home folder. */
export function cacheRoot() {
  return process.env.OPTIO_CACHE || join(homedir(), ".cache", "optio");
}

/**
 * Makes a folder by filling a temporary one beside it and renaming that. Nothing happens where it exists.
 * Returns whether it had to be made.
 */
export async function publishFolder(folder, fill) {
  if (existsSync(folder)) return false;
  return withLock(`${folder}.lock`, async () => {
    if (existsSync(folder)) return false;
    removeLeftovers(folder);
    const temporary = `${folder}.tmp-${process.pid}`;
    rmSync(temporary, { recursive: true, force: true });
    mkdirSync(temporary, { recursive: true });
    try {
      await fill(temporary);
      renameSync(temporary, folder);
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
    return true;
  });
}

/** Replaces a small file at once, so that a reader sees the old or the new text. */
export function writeAtomically(path, data) {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.tmp-${process.pid}`;
  writeFileSync(temporary, data);
  renameSync(temporary, path);
}

/** Runs `work` while no other process does the same under this name. A lock whose owner is gone is taken over. */
export async function withLock(path, work, log = () => {}) {
  mkdirSync(dirname(path), { recursive: true });
  let told = false;
  while (!tryLock(path)) {
    if (!told) log("waiting for another process that does the same");
    told = true;
    await sleep(200);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

function tryLock(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  if (isStale(path)) {
    // Renaming first lets only one of several waiting processes take a stale lock away.
    const taken = `${path}.stale-${process.pid}`;
    try {
      renameSync(path, taken);
      rmSync(taken, { force: true });
    } catch {
      // another process was faster
    }
  }
  return false;
}

function isStale(path) {
  try {
    const owner = Number(readFileSync(path, "utf8"));
    if (!Number.isInteger(owner) || owner <= 0) return Date.now() - statSync(path).mtimeMs > 5000;
    if (owner === process.pid) return false;
    process.kill(owner, 0);
    return Date.now() - statSync(path).mtimeMs > STALE_MS;
  } catch (error) {
    return error.code === "ESRCH";
  }
}

function removeLeftovers(folder) {
  const parent = dirname(folder);
  const prefix = `${folder.slice(parent.length + 1)}.tmp-`;
  for (const name of readdirSync(parent)) {
    if (name.startsWith(prefix)) rmSync(join(parent, name), { recursive: true, force: true });
  }
}
