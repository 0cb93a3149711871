import type { Page } from "@playwright/test";

/**
 * Limits the page's downloads: at full speed a local file is here before a button can be pressed.
 *
 * @param bytesPerSecond default 20 MB/s
 */
export async function slowDown(page: Page, bytesPerSecond = 20e6): Promise<{ restore(): Promise<void> }> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  const limitTo = (downloadThroughput: number) =>
    session.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: 0,
      downloadThroughput,
      uploadThroughput: -1,
    });
  await limitTo(bytesPerSecond);
  return {
    restore: async () => {
      await limitTo(-1);
    },
  };
}
