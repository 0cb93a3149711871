import { copyFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build as viteBuild } from "vite";

const app = fileURLToPath(new URL("app", import.meta.url));

/** A production build with Vite's defaults. */
export async function buildWithVite(outDir: string): Promise<void> {
  await viteBuild({
    root: app,
    configFile: false,
    logLevel: "error",
    build: { outDir, emptyOutDir: true, assetsInlineLimit: 0 },
    worker: { format: "es" },
  });
}

/** A production build with webpack's defaults. */
export async function buildWithWebpack(outDir: string): Promise<void> {
  // Webpack is CommonJS, which Playwright's loader does not turn into named exports.
  const webpack: typeof import("webpack") = createRequire(import.meta.url)("webpack");
  await new Promise<void>((resolve, reject) => {
    webpack(
      {
        mode: "production",
        context: app,
        entry: "./main.js",
        output: { path: outDir, filename: "main.js", assetModuleFilename: "assets/[hash][ext]", clean: true },
        performance: { hints: false },
      },
      (error, stats) => {
        if (error) reject(error);
        else if (stats?.hasErrors()) reject(new Error(stats.toString({ all: false, errors: true })));
        else resolve();
      },
    );
  });
  await copyFile(join(app, "index.html"), join(outDir, "index.html"));
}
