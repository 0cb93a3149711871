import { expect, test } from "./fixtures.js";
import { slowDown } from "./slow-down.js";

test.describe("without a network", () => {
  // The browser itself complains about each request that fails, such as those that this test makes.
  test.use({ expectedErrors: ["net::ERR_INTERNET_DISCONNECTED"] });

  test("a page that was visited once decides again after a reload", async ({ demo, context }) => {
    await demo.open();
    await demo.load();
    await demo.decide();
    const online = await demo.bars("team");
    await demo.page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));

    await context.setOffline(true);
    await demo.page.reload();
    expect(
      await demo.page.evaluate(() =>
        fetch("./healthz").then(
          () => "online",
          () => "offline",
        ),
      ),
    ).toBe("offline");
    expect(await demo.page.evaluate(() => crossOriginIsolated)).toBe(true);
    await demo.load();
    await demo.decide();
    expect(await demo.bars("team")).toEqual(online);
  });
});

test("a download that was paused goes on from its byte after a reload", async ({ demo }) => {
  const ranges: (string | undefined)[] = [];
  await demo.open();
  await slowDown(demo.page);
  demo.page.on("request", (request) => {
    if (request.url().endsWith(".gguf")) ranges.push(request.headers()["range"]);
  });
  await demo.button("start").click();
  await demo.reaches("downloading");
  await expect(demo.panel).toContainText(/[2-9]\d MB of 98 MB/);
  await demo.button("pause").click();
  await demo.reaches("paused");

  await demo.page.reload();
  await expect(demo.button("start")).toContainText("left");
  await demo.load();
  await demo.decide();
  const resumed = ranges.at(-1) ?? "";
  expect(Number(/^bytes=(\d+)-/.exec(resumed)?.[1]), resumed).toBeGreaterThan(10e6);
});

test("a cancelled download leaves nothing behind", async ({ demo }) => {
  await demo.open();
  await slowDown(demo.page);
  await demo.button("start").click();
  await expect(demo.panel).toContainText(/[1-9]\d? MB of 98 MB/);
  await demo.button("discard").click();
  await demo.reaches("empty");
  await expect(demo.button("start")).toContainText("Download 98 MB");
  // The browser's own count lags behind the removal of a file.
  await expect
    .poll(() =>
      demo.page.evaluate(async () => {
        const { usageDetails } = (await navigator.storage.estimate()) as { usageDetails?: Record<string, number> };
        return usageDetails?.["fileSystem"] ?? 0;
      }),
    )
    .toBeLessThan(1e6);
});
