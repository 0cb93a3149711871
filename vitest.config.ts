import { configDefaults, defineConfig } from "vitest/config";

/** Tests that load a model: slow, and each may take all processors. */
const modelTests = ["packages/*/src/**/*.model.test.ts", "wasm/test/**/*.test.mjs"];

// Node 20 has relaxed SIMD behind a switch: the tests run the builds that need it all the same.
const execArgv = process.versions.v8.startsWith("11.3.") ? ["--experimental-wasm-relaxed-simd"] : [];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: [
            "packages/*/{src,server}/**/*.test.ts",
            "packages/server-bridge/deploy/src/**/*.test.ts",
            "models/**/*.test.mjs",
            "scripts/**/*.test.mjs",
            "e2e/bench/**/*.test.mjs",
          ],
          exclude: [...configDefaults.exclude, ...modelTests],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: "model",
          include: modelTests,
          execArgv,
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
