// Applies unified diffs, exactly or not at all: no program has to be installed for it, and no fuzz can hide a changed source.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Applies a patch (made with diff -u, names beginning a/ and b/) to the files below `root`. Text before the first file is the reason. */
export function applyPatch(root, patch, name) {
  for (const { path, hunks } of parse(patch, name)) {
    const lines = readFileSync(join(root, path), "utf8").split("\n");
    let shift = 0;
    for (const hunk of hunks) {
      const at = hunk.start - 1 + shift;
      const found = lines.slice(at, at + hunk.before.length);
      if (found.length !== hunk.before.length || found.some((line, i) => line !== hunk.before[i])) {
        throw new Error(`${name} does not fit ${path} at line ${hunk.start}`);
      }
      lines.splice(at, hunk.before.length, ...hunk.after);
      shift += hunk.after.length - hunk.before.length;
    }
    writeFileSync(join(root, path), lines.join("\n"));
  }
}

function parse(patch, name) {
  const lines = patch.split("\n");
  const files = [];
  let i = lines.findIndex((line, at) => line.startsWith("--- a/") && lines[at + 1]?.startsWith("+++ b/"));
  if (i < 0) throw new Error(`${name} changes no file`);
  if (lines.slice(0, i).join("").trim() === "") throw new Error(`${name} does not say why it is needed`);
  while (i < lines.length && lines[i] !== "") {
    if (!lines[i].startsWith("--- a/")) throw new Error(`${name}: a file was expected in line ${i + 1}`);
    const file = { path: lines[i].slice("--- a/".length), hunks: [] };
    i += 2;
    while (lines[i]?.startsWith("@@ ")) {
      const [, start, length = "1"] = /^@@ -(\d+)(?:,(\d+))? /.exec(lines[i]);
      const hunk = { start: Number(start), before: [], after: [] };
      for (i++; i < lines.length && /^[ +-]/.test(lines[i]) && !lines[i].startsWith("--- a/"); i++) {
        if (lines[i][0] !== "+") hunk.before.push(lines[i].slice(1));
        if (lines[i][0] !== "-") hunk.after.push(lines[i].slice(1));
      }
      if (hunk.before.length !== Number(length))
        throw new Error(`${name}: the part for line ${start} of ${file.path} is cut off`);
      file.hunks.push(hunk);
    }
    files.push(file);
  }
  return files;
}
