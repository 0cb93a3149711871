import { defineConfig } from "vitest/config";

/** What takes minutes: `npm run test:long`. */
export default defineConfig({
  test: {
    include: ["packages/server-bridge/test/long/**/*.long.test.ts"],
    fileParallelism: false,
    testTimeout: 3_600_000,
    hookTimeout: 120_000,
  },
});
