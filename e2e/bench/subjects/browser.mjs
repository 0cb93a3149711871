import { chromium } from "@playwright/test";
import { peakMemory, processesNaming } from "../process-tree.mjs";

/**
 * Where a subject runs: a page of ours, with a folder for what the browser stores, so that later visits find the model.
 *
 * @typedef {object} PageSettings
 * @property {string} address
 * @property {string} profileFolder
 * @property {"optio" | "wllama"} subject
 * @property {string} model address of the file
 */

/**
 * A visit that only stores the model.
 *
 * @param {PageSettings} settings
 */
export async function storeInBrowser(settings) {
  const { page, close } = await openPage(settings, { task: "store" });
  try {
    await page.evaluate(async () => await /** @type {any} */ (globalThis).subject);
  } finally {
    await close();
  }
}

/**
 * A Chromium of its own for each turn, so that no subject shares a process or a heap with another, or with its last turn.
 *
 * @param {PageSettings & { threads: number, contextTokens: number, variant?: string }} settings
 * @returns {Promise<import("../turns.mjs").Running>}
 */
export async function startInBrowser({ threads, contextTokens, variant = "", ...settings }) {
  const { page, close } = await openPage(settings, {
    threads: String(threads),
    contextTokens: String(contextTokens),
    variant,
  });
  try {
    const { facts, loadMs } = await page.evaluate(async () => {
      const { facts, loadMs } = await /** @type {any} */ (globalThis).subject;
      return { facts, loadMs };
    });
    return {
      facts: { ...facts, browser: await browserVersion(page) },
      loadMs,
      measure: (work) =>
        page.evaluate(async (what) => (await /** @type {any} */ (globalThis).subject).measure(what), work),
      peakMemory: () => peakMemory(processesNaming(`--user-data-dir=${settings.profileFolder}`)),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * @param {PageSettings} settings
 * @param {Record<string, string>} parameters
 */
async function openPage({ address, profileFolder, subject, model }, parameters) {
  const context = await chromium.launchPersistentContext(profileFolder, {
    executablePath: process.env["OPTIO_CHROMIUM"] ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  const close = () => context.close();
  try {
    const page = await context.newPage();
    const problems = /** @type {string[]} */ ([]);
    page.on("pageerror", (error) => problems.push(String(error)));
    await page.goto(`${address}?${new URLSearchParams({ subject, model, ...parameters })}`);
    await page
      .waitForFunction(() => "subject" in globalThis, undefined, { timeout: 30_000 })
      .catch((cause) => {
        throw new Error(`the page did not start: ${problems.join("; ")}`, { cause });
      });
    return { page, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @param {import("@playwright/test").Page} page */
async function browserVersion(page) {
  const session = await page.context().newCDPSession(page);
  const { product } = await session.send("Browser.getVersion");
  return product.replace("HeadlessChrome/", "").replace("Chrome/", "");
}
