import { configDefaults, defineConfig } from "vitest/config";

/** Tests that load a model: slow, and each may take all processors. */
const modelTests = ["packages/*/src/**/*.model.test.ts", "wasm/test/**/*.test.mjs"];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: [
            "packages/*/{src,server}/**/*.test.ts",
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
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
