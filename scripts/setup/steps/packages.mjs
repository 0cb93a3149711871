import { existsSync } from "node:fs";
import { join } from "node:path";
import { hashOfFiles } from "../fingerprint.mjs";
import { pnpmProgram, root } from "../places.mjs";
import { dependencies } from "./dependencies.mjs";
import { wasmScorer } from "./scorer.mjs";

/** In the order of their dependencies. */
const names = ["core", "server-bridge", "server-bridge/deploy", "cli", "web-demo"];

const outputs = [
  "packages/core/dist/index.js",
  "packages/server-bridge/dist/index.js",
  "packages/server-bridge/deploy/dist/app.js",
  "packages/cli/dist/main.js",
  "packages/web-demo/dist/index.html",
];

const isSource = (path) => !path.includes("/test-results/") && !/\.test\.m?ts$/.test(path);

/** The TypeScript packages and the demo page. */
export const packages = {
  id: "packages",
  title: "TypeScript packages and the demo page",
  place: "clone",
  inputs: () => hashOfFiles(["packages", "models", "tsconfig.base.json"], isSource),
  intact: () => outputs.every((path) => existsSync(join(root, path))),
  needs: [dependencies, wasmScorer],
  work: async ({ run, say }) => {
    await run(process.execPath, ["models/build.mjs"], { cwd: root });
    for (const name of names) {
      say(name);
      await run(process.execPath, [pnpmProgram(), "run", "build"], { cwd: join(root, "packages", name) });
    }
  },
};
