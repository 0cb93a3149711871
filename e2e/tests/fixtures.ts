import { type RunningServer, serve } from "@optio/web-demo/server";
import { test as base, expect } from "@playwright/test";
import { DemoPage } from "./demo-page.js";
import { modelsDir } from "./models.js";
import { type OutsideProxy, startOutsideProxy, watchRequests } from "./outside.js";

export type Hosting = "isolated" | "open";

interface TestFixtures {
  /** How the page is served: with cross-origin isolation, or without. */
  hosting: Hosting;
  demo: DemoPage;
  /** Errors that the page may write to its console in this test, as parts of their text. */
  expectedErrors: string[];
}

interface WorkerFixtures {
  outside: OutsideProxy;
  servers: Readonly<Record<Hosting, RunningServer>>;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  hosting: ["isolated", { option: true }],

  outside: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
    async ({}, use) => {
      const proxy = await startOutsideProxy();
      await use(proxy);
      await proxy.close();
    },
    { scope: "worker" },
  ],

  servers: [
    // biome-ignore lint/correctness/noEmptyPattern: as above.
    async ({}, use) => {
      const options = { port: 0, modelsDir };
      const isolated = await serve(options);
      const open = await serve({ ...options, isolate: false });
      await use({ isolated, open });
      await isolated.close();
      await open.close();
    },
    { scope: "worker" },
  ],

  // The page's own server is reached without the proxy, so only what is outside arrives at it.
  launchOptions: [
    async ({ launchOptions, outside }, use) => {
      await use({ ...launchOptions, proxy: { server: outside.address, bypass: "127.0.0.1" } });
    },
    { scope: "worker" },
  ],

  // biome-ignore lint/correctness/noEmptyPattern: as above.
  expectedErrors: async ({}, use) => {
    await use([]);
  },

  demo: async ({ page, context, servers, hosting, outside, expectedErrors }, use) => {
    const { url } = servers[hosting];
    const foreign = watchRequests(context, new URL(url).origin);
    const complaints: string[] = [];
    context.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
    });
    context.on("weberror", (error) => complaints.push(String(error.error())));
    outside.take();

    await use(new DemoPage(page, url));

    expect(foreign, "requests outside the page's origin").toEqual([]);
    expect(outside.take(), "requests to other hosts").toEqual([]);
    const unexpected = complaints.filter((text) => !expectedErrors.some((part) => text.includes(part)));
    expect(unexpected, "errors and warnings in the console").toEqual([]);
  },
});

export { expect };
