import { readdirSync, readFileSync } from "node:fs";

/**
 * @typedef {object} ProcessFacts
 * @property {number} pid
 * @property {number} parent
 * @property {number} peakBytes largest resident set so far
 */

/**
 * The largest resident set that any process of a tree has had: the process that holds the model.
 *
 * @param {readonly number[]} roots process ids
 * @returns {number | undefined} bytes; undefined where the system does not say (it is Linux that does)
 */
export function peakMemory(roots) {
  const tree = treeOf(roots, processes());
  return tree.length === 0 ? undefined : Math.max(...tree.map(({ peakBytes }) => peakBytes));
}

/**
 * Ends all that a process started, and all that those started.
 *
 * @param {number} root
 */
export function killDescendants(root) {
  for (const { pid } of treeOf([root], processes())) {
    if (pid === root) continue;
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended since.
    }
  }
}

/**
 * @template {{ pid: number, parent: number }} T
 * @param {readonly number[]} roots
 * @param {readonly T[]} all
 */
export function treeOf(roots, all) {
  const tree = new Set(roots);
  // Children may be listed before their parents.
  for (let size = -1; size !== tree.size; ) {
    size = tree.size;
    for (const { pid, parent } of all) if (tree.has(parent)) tree.add(pid);
  }
  return all.filter(({ pid }) => tree.has(pid));
}

/**
 * Processes whose command line holds a text.
 *
 * @param {string} text
 */
export function processesNaming(text) {
  return listNumbers().filter((pid) => read(pid, "cmdline").includes(text));
}

/** @returns {ProcessFacts[]} */
function processes() {
  return listNumbers().flatMap((pid) => {
    const status = read(pid, "status");
    const parent = /^PPid:\s+(\d+)/m.exec(status)?.[1];
    const peak = /^VmHWM:\s+(\d+) kB/m.exec(status)?.[1];
    return parent === undefined || peak === undefined
      ? []
      : [{ pid, parent: Number(parent), peakBytes: Number(peak) * 1024 }];
  });
}

function listNumbers() {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/**
 * @param {number} pid
 * @param {string} name
 */
function read(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    // It has ended since.
    return "";
  }
}
