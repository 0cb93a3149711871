import { chromium } from "@playwright/test";

/**
 * A Chromium of its own for each subject, so that none shares a process, a cache or a heap with another.
 *
 * @param {{ address: string, subject: "optio" | "wllama", model: string, threads: number }} options
 */
export async function startInBrowser({ address, subject, model, threads }) {
  const browser = await chromium.launch({
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
  try {
    const page = await browser.newPage();
    const problems = /** @type {string[]} */ ([]);
    page.on("pageerror", (error) => problems.push(String(error)));
    const parameters = new URLSearchParams({ subject, model, threads: String(threads) });
    await page.goto(`${address}?${parameters}`);
    await page
      .waitForFunction(() => "subject" in globalThis, undefined, { timeout: 30_000 })
      .catch((cause) => {
        throw new Error(`the page did not start: ${problems.join("; ")}`, { cause });
      });
    const facts = await page.evaluate(async () => {
      const { label, version, prefixTokens } = await /** @type {any} */ (globalThis).subject;
      return { label, version, prefixTokens: await prefixTokens() };
    });
    return {
      ...facts,
      browser: browser.version(),
      decide: () => page.evaluate(async () => (await /** @type {any} */ (globalThis).subject).decide()),
      close: () => browser.close(),
    };
  } catch (error) {
    await browser.close();
    throw error;
  }
}
