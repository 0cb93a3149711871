import { createHash } from "node:crypto";
import { accessSync, constants, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import { root } from "./places.mjs";

const skippedFolders = new Set(["node_modules", "dist", ".git", "test-results", "playwright-report"]);

/** Every file under a path of the clone (or the path itself), sorted; build output and dependencies are left out. */
export function filesUnder(path, accept = () => true) {
  const found = [];
  const visit = (current) => {
    const facts = statSync(current, { throwIfNoEntry: false });
    if (!facts) return;
    if (facts.isFile()) {
      if (accept(relative(root, current))) found.push(current);
      return;
    }
    for (const entry of readdirSync(current, { withFileTypes: true })) {
      if (entry.isDirectory() && skippedFolders.has(entry.name)) continue;
      if (entry.isDirectory() || entry.isFile()) visit(join(current, entry.name));
    }
  };
  visit(join(root, path));
  return found.sort();
}

/** One hash over the names and contents of files of the clone; a path that does not exist counts as empty. */
export function hashOfFiles(paths, accept) {
  const hash = createHash("sha256");
  for (const path of paths) {
    for (const file of filesUnder(path, accept)) {
      hash.update(`${relative(root, file)}\0`);
      hash.update(createHash("sha256").update(readFileSync(file)).digest());
    }
  }
  return hash.digest("hex");
}

/** Size and time of a file or folder outside the sources, where reading all of it would take too long. */
export function factsOfFile(path) {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts ? `${facts.size} ${Math.trunc(facts.mtimeMs)}` : undefined;
}

/** The path of a program, or undefined. Looked up by hand: starting `which` a dozen times would cost more than all the rest. */
export function findProgram(name) {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    if (!folder) continue;
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      if (statSync(path).isFile()) return path;
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}

/** A program's identity without running it: where it really lies, its size and time. */
export function factsOfProgram(name) {
  const path = findProgram(name);
  return path ? `${realpathSync(path)} ${factsOfFile(path)}` : `no ${name}`;
}

export function hashOfText(text) {
  return createHash("sha256").update(text).digest("hex");
}
