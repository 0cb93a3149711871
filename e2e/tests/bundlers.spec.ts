import { readdir } from "node:fs/promises";
import { wasmVariants } from "@optio/core";
import { serve } from "@optio/web-demo/server";
import { buildWithVite, buildWithWebpack } from "../bundlers/build.js";
import { expect, test } from "./fixtures.js";
import { fixtureModel, modelsDir } from "./models.js";
import { watchRequests } from "./outside.js";

const bundlers = { Vite: buildWithVite, webpack: buildWithWebpack };

for (const [name, build] of Object.entries(bundlers)) {
  test(`${name} finds the worker and the scorer of @optio/core, and its bundle decides`, async ({
    page,
    context,
    outside,
  }) => {
    const distDir = test.info().outputPath("dist");
    await build(distDir);
    const files = await readdir(distDir, { recursive: true });
    expect(files.filter((file) => file.endsWith(".wasm"))).toHaveLength(wasmVariants.length);

    for (const isolate of [true, false]) {
      const server = await serve({ port: 0, distDir, modelsDir, isolate });
      const foreign = watchRequests(context, new URL(server.url).origin);
      outside.take();
      await page.goto(`${server.url}?model=${encodeURIComponent(`${server.url}models/${fixtureModel.file}`)}`);
      const decision = await page.evaluate(
        () => (globalThis as unknown as { decision: Promise<{ distribution: unknown[]; receipt: unknown }> }).decision,
      );
      expect(decision.distribution).toHaveLength(2);
      expect(JSON.stringify(decision.receipt)).toContain(isolate ? '"relaxed-simd-threads"' : '"relaxed-simd"');
      expect(foreign).toEqual([]);
      expect(outside.take()).toEqual([]);
      await page.goto("about:blank");
      await server.close();
    }
  });
}
