import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

export function sha256(data) {
  return createHash("sha256").update(data).digest("hex");
}

/** One hash over parts of any number; no two lists of parts share one. */
export function hashOf(parts) {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest("hex");
}

/** Relative paths of all files below the given files and folders of `root`, sorted, with / between folders. */
export function listFiles(root, entries) {
  const files = [];
  const visit = (path) => {
    if (statSync(join(root, path)).isFile()) files.push(path);
    else for (const name of readdirSync(join(root, path))) visit(`${path}/${name}`);
  };
  for (const entry of entries) visit(entry);
  return files.sort();
}

/** A hash over the names and contents of files. */
export function hashFiles(root, files) {
  return hashOf(files.flatMap((file) => [file, readFileSync(join(root, file))]));
}
