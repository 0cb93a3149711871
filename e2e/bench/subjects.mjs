import { startInBrowser, storeInBrowser } from "./subjects/browser.mjs";
import { startLlamaServer } from "./subjects/llama-server.mjs";
import { startInNode } from "./subjects/node.mjs";

/** Tokens that every subject makes room for: state and question of the longest work fit. */
const contextTokens = 2560;

/**
 * @typedef {object} Description
 * @property {string} id
 * @property {import("./selection.mjs").Tier} tier
 * @property {string} title
 * @property {boolean} own whether it is ours
 * @property {number} threads
 * @property {{ in: "chromium", page: "optio" | "wllama", isolated: boolean, variant?: string }
 *   | { in: "node", engine: "wasm", variant: string }
 *   | { in: "node", engine: "native" | "node-llama-cpp" }
 *   | { in: "process", mayKeep: boolean }} runs
 */

/**
 * All that can be measured here.
 *
 * @param {readonly import("./variants.mjs").Variant[]} variants
 * @param {number} threads of the threaded subjects
 * @returns {Description[]}
 */
export function describeSubjects(variants, threads) {
  const many = `${threads} ${threads === 1 ? "thread" : "threads"}`;
  const countOf = (/** @type {{ threads: boolean }} */ variant) => (variant.threads ? threads : 1);
  const textOf = (/** @type {{ threads: boolean }} */ variant) => (variant.threads ? many : "1 thread");
  const plainest = variants[0];
  return [
    ...variants.map(
      (variant) =>
        /** @type {Description} */ ({
          id: `chromium-${variant.id}`,
          tier: "quick",
          title: `optio, Chromium, ${variant.id}, ${textOf(variant)}`,
          own: true,
          threads: countOf(variant),
          runs: { in: "chromium", page: "optio", isolated: variant.threads, variant: variant.id },
        }),
    ),
    ...variants.map(
      (variant) =>
        /** @type {Description} */ ({
          id: `node-${variant.id}`,
          tier: variant === plainest ? "quick" : "full",
          title: `optio, Node, ${variant.id}, ${textOf(variant)}`,
          own: true,
          threads: countOf(variant),
          runs: { in: "node", engine: "wasm", variant: variant.id },
        }),
    ),
    {
      id: "native",
      tier: "quick",
      title: `optio, native program, ${many}`,
      own: true,
      threads,
      runs: { in: "node", engine: "native" },
    },
    {
      id: "native-1",
      tier: "full",
      title: "optio, native program, 1 thread",
      own: true,
      threads: 1,
      runs: { in: "node", engine: "native" },
    },
    {
      id: "llama-server",
      tier: "quick",
      title: `llama-server, ${many}`,
      own: false,
      threads,
      runs: { in: "process", mayKeep: true },
    },
    {
      id: "llama-server-uncached",
      tier: "default",
      title: `llama-server, nothing kept, ${many}`,
      own: false,
      threads,
      runs: { in: "process", mayKeep: false },
    },
    {
      id: "node-llama-cpp",
      tier: "quick",
      title: `node-llama-cpp, ${many}`,
      own: false,
      threads,
      runs: { in: "node", engine: "node-llama-cpp" },
    },
    {
      id: "wllama",
      tier: "quick",
      title: `wllama, Chromium, ${many}`,
      own: false,
      threads,
      runs: { in: "chromium", page: "wllama", isolated: true },
    },
    {
      id: "wllama-1",
      tier: "full",
      title: "wllama, Chromium, 1 thread",
      own: false,
      threads: 1,
      runs: { in: "chromium", page: "wllama", isolated: false },
    },
  ];
}

/**
 * What the subjects need beside a file.
 *
 * @typedef {object} Equipment
 * @property {{ addressOf: (isolated: boolean) => string, modelIn: (address: string, fileId: string) => string } | undefined} pages
 * @property {(name: string) => string} folderFor a folder for what a browser stores
 * @property {{ server: string, release: string } | undefined} nativeTools
 * @property {string | undefined} nodeLlamaCpp its main module
 */

/**
 * @param {Description} subject
 * @param {Equipment} equipment
 * @returns {import("./turns.mjs").Subject["start"]}
 */
export function starterOf({ threads, runs }, equipment) {
  const { nativeTools, nodeLlamaCpp } = equipment;
  return async ({ id, path: model }) => {
    if (runs.in === "chromium") {
      const page = pageSettings(runs, id, equipment);
      const variant = runs.variant === undefined ? {} : { variant: runs.variant };
      return checkVariant(runs.variant, await startInBrowser({ ...page, threads, contextTokens, ...variant }));
    }
    if (runs.in === "process") {
      if (nativeTools === undefined) throw new Error("llama-server is not built");
      const { server: program, release } = nativeTools;
      return startLlamaServer({ program, release, model, threads, contextTokens, mayKeep: runs.mayKeep });
    }
    if (runs.engine === "wasm") {
      const started = await startInNode({ engine: "wasm", variant: runs.variant, model, threads, contextTokens });
      return checkVariant(runs.variant, started);
    }
    if (runs.engine === "native") return startInNode({ engine: "native", model, threads, contextTokens });
    if (nodeLlamaCpp === undefined) throw new Error("node-llama-cpp is not installed");
    return startInNode({ engine: "node-llama-cpp", entry: nodeLlamaCpp, model, threads, contextTokens });
  };
}

/**
 * Puts a file where a browser's subject finds it, as an earlier visit would have: once for each page and origin.
 *
 * @param {readonly Description[]} subjects
 * @param {string} fileId
 * @param {Equipment} equipment
 */
export async function storeForBrowsers(subjects, fileId, equipment) {
  const done = new Set();
  for (const { runs } of subjects) {
    if (runs.in !== "chromium") continue;
    const page = pageSettings(runs, fileId, equipment);
    if (done.has(page.profileFolder)) continue;
    done.add(page.profileFolder);
    await storeInBrowser(page);
  }
}

/**
 * @param {Extract<Description["runs"], { in: "chromium" }>} runs
 * @param {string} fileId
 * @param {Equipment} equipment
 * @returns {import("./subjects/browser.mjs").PageSettings}
 */
function pageSettings({ page, isolated }, fileId, { pages, folderFor }) {
  if (pages === undefined) throw new Error("no page is served");
  const address = pages.addressOf(isolated);
  return {
    address,
    subject: page,
    model: pages.modelIn(address, fileId),
    profileFolder: folderFor(`${page}-${isolated ? "isolated" : "open"}-${fileId}`),
  };
}

/**
 * @param {string | undefined} asked
 * @param {import("./turns.mjs").Running} running
 */
async function checkVariant(asked, running) {
  const { backend } = running.facts;
  if (asked === undefined || backend === asked) return running;
  await running.close();
  throw new Error(`asked for the build ${asked}, and ${backend} ran`);
}
