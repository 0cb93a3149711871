import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { hashOfFiles } from "../fingerprint.mjs";
import { pnpmProgram, root } from "../places.mjs";
import { packageManager } from "./package-manager.mjs";

const manifest = (path) => path.endsWith("package.json");
const installed = join(root, "node_modules/.modules.yaml");

/** All npm packages, exactly as the lock file names them. */
export const dependencies = {
  id: "dependencies",
  title: "npm packages",
  place: "clone",
  // Node's version too: pnpm leaves out what a package says an older Node can't run, and does not look again by itself.
  inputs: () =>
    process.version +
    hashOfFiles(["pnpm-lock.yaml", "pnpm-workspace.yaml", "package.json"]) +
    hashOfFiles(["packages", "wasm", "models", "e2e"], manifest),
  intact: () => existsSync(installed),
  needs: [packageManager],
  work: async ({ run }) => {
    rmSync(installed, { force: true });
    await run(process.execPath, [pnpmProgram(), "install", "--frozen-lockfile", "--reporter=append-only"], {
      cwd: root,
      // Without a terminal pnpm asks before it replaces a folder of another version, unless it is told that nobody is there.
      env: { CI: "true" },
    });
  },
};
