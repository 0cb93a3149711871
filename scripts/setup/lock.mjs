import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/**
 * Waits until no other process holds the lock, then holds it. A lock whose process is gone is taken over.
 *
 * @param {string} path a folder that does not exist while nobody holds the lock
 * @param {{ onWait?: (pid: number) => void }} [options]
 * @returns {Promise<() => void>} gives the lock back
 */
export async function holdLock(path, { onWait } = {}) {
  mkdirSync(dirname(path), { recursive: true });
  let told = false;
  for (;;) {
    if (tryToHold(path)) return () => rmSync(path, { recursive: true, force: true });
    const holder = holderOf(path);
    if (holder !== undefined && !isAlive(holder)) {
      takeAway(path, holder);
      continue;
    }
    if (!told && holder !== undefined) {
      onWait?.(holder);
      told = true;
    }
    await pause(200);
  }
}

// The folder is filled before it gets its name, so a lock always says whose it is.
function tryToHold(path) {
  const prepared = `${path}.${process.pid}`;
  rmSync(prepared, { recursive: true, force: true });
  mkdirSync(prepared);
  writeFileSync(join(prepared, "pid"), String(process.pid));
  try {
    renameSync(prepared, path);
    return true;
  } catch {
    rmSync(prepared, { recursive: true, force: true });
    return false;
  }
}

function holderOf(path) {
  try {
    return Number(readFileSync(join(path, "pid"), "utf8"));
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

// Two processes may find the same dead holder: the one that comes second may meet a new lock, and puts it back.
function takeAway(path, deadHolder) {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  if (holderOf(aside) !== deadHolder) {
    try {
      renameSync(aside, path);
      return;
    } catch {
      // Somebody else holds a new lock: both go on, which is slow but harmless, since every step ends in one move.
    }
  }
  rmSync(aside, { recursive: true, force: true });
}
