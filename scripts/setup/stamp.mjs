import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What a finished step was made from. It is written last and in one move, so an interrupted step has none. */
export function readStamp(folder, id) {
  try {
    return JSON.parse(readFileSync(join(folder, `${id}.json`), "utf8"));
  } catch {
    return undefined;
  }
}

export function writeStamp(folder, id, stamp) {
  const path = join(folder, `${id}.json`);
  const unfinished = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(unfinished, `${JSON.stringify(stamp, null, 2)}\n`);
  renameSync(unfinished, path);
}

export function removeStamp(folder, id) {
  rmSync(join(folder, `${id}.json`), { force: true });
}
