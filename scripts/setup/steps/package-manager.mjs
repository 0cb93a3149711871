import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { cache, pinnedPnpm, pnpmProgram } from "../places.mjs";

/** pnpm at the pinned version, in the cache: nothing is installed globally. */
export const packageManager = {
  id: "package-manager",
  title: `pnpm ${pinnedPnpm()}`,
  place: "cache",
  inputs: pinnedPnpm,
  intact: () => existsSync(pnpmProgram()),
  work: async ({ run }) => {
    const folder = join(cache, "pnpm", pinnedPnpm());
    mkdirSync(folder, { recursive: true });
    await run("npm", ["install", "--prefix", folder, "--no-save", "--no-audit", "--no-fund", `pnpm@${pinnedPnpm()}`]);
  },
};
