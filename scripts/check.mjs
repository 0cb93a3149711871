import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { CommandFailed, run } from "./setup/children.mjs";
import { filesUnder } from "./setup/fingerprint.mjs";
import { pnpmProgram, root } from "./setup/places.mjs";
import { seconds } from "./setup/progress-line.mjs";
import { setUp } from "./setup/set-up.mjs";

await setUp();

const tool = (name, ...args) => run(process.execPath, [programOf(name), ...args], { cwd: root });
const published = ["core", "server-bridge", "cli"];
const typed = [
  "packages/core/tsconfig.test.json",
  "packages/server-bridge/tsconfig.test.json",
  "packages/server-bridge/deploy/tsconfig.test.json",
  "packages/cli/tsconfig.test.json",
  "packages/web-demo/tsconfig.json",
  "packages/web-demo/tsconfig.server.json",
  "packages/web-demo/src/offline/tsconfig.json",
  "e2e/tsconfig.json",
];
/** Sources whose imports are followed; what is built from them is not. */
const cruised = ["core/src", "server-bridge/src", "cli/src", "web-demo/src", "web-demo/server", "web-demo/build"];
/** Lines that a source may have; tests may be longer. */
const maxLines = 300;

/** All run, even after one has failed. */
const checks = {
  types: async () => {
    for (const config of typed) await tool("typescript/bin/tsc", "--noEmit", "-p", config);
  },
  "lint and format": () => tool("@biomejs/biome/bin/biome", "check", "."),
  "package exports": async () => {
    for (const name of published) {
      const folder = mkdtempSync(join(tmpdir(), "optio-pack-"));
      try {
        await run(process.execPath, [pnpmProgram(), "pack", "--pack-destination", folder], {
          cwd: join(root, "packages", name),
        });
        const tarball = join(folder, readdirSync(folder)[0] ?? "");
        await tool("publint/src/cli.js", "run", tarball, "--strict");
        if (name !== "cli") await tool("@arethetypeswrong/cli/dist/index.js", tarball, "--profile", "esm-only");
      } finally {
        rmSync(folder, { recursive: true });
      }
    }
  },
  "unused code and dependencies": () => tool("knip/bin/knip.js"),
  "direction of dependencies": () =>
    tool(
      "dependency-cruiser/bin/dependency-cruise.mjs",
      "--config",
      ".dependency-cruiser.cjs",
      ...cruised.map((folder) => `packages/${folder}`),
    ),
  "length of sources": async () => {
    const sources = filesUnder(
      "packages",
      (path) => /\/src\/.*\.ts$/.test(path) && !/\.test\.ts$|generated/.test(path),
    );
    const long = sources.filter((file) => readFileSync(file, "utf8").split("\n").length > maxLines);
    if (long.length > 0)
      throw new Error(`over ${maxLines} lines: ${long.map((file) => relative(root, file)).join(", ")}`);
  },
  "subpaths are folders and documented": async () => {
    const { exports } = JSON.parse(readFileSync(join(root, "packages/core/package.json"), "utf8"));
    const readme = readFileSync(join(root, "README.md"), "utf8");
    const declared = Object.keys(exports).sort();
    const folders = filesUnder("packages/core/src", (path) => path.endsWith("/index.ts"))
      .map((file) => relative(join(root, "packages/core/src"), dirname(file)))
      .map((folder) => (folder === "" ? "." : `./${folder}`))
      .sort();
    if (declared.join() !== folders.join())
      throw new Error(
        `packages/core exports ${declared.join(", ")}; folders with an index.ts are ${folders.join(", ")}`,
      );
    for (const subpath of declared) {
      const index = readFileSync(join(root, "packages/core/src", subpath, "index.ts"), "utf8");
      if (index.split("\n").length > 40) throw new Error(`${subpath}/index.ts has more than 40 lines`);
      const name = `@optio/core${subpath.slice(1)}`;
      if (!readme.includes(name)) throw new Error(`README.md does not name ${name}`);
    }
  },
  "examples of the README": () => run(process.execPath, ["scripts/check/readme-examples.mjs"], { cwd: root }),
  "list of errors": () => run(process.execPath, ["scripts/check/errors-doc.mjs"], { cwd: root }),
  "a test for every error": () => run(process.execPath, ["scripts/check/error-tests.mjs"], { cwd: root }),
};

let failed = 0;
for (const [name, check] of Object.entries(checks)) {
  const began = Date.now();
  try {
    await check();
    process.stdout.write(`ok      ${name} (${seconds(Date.now() - began)})\n`);
  } catch (error) {
    failed += 1;
    const detail = error instanceof CommandFailed ? error.tail.join("\n") : error.message;
    process.stdout.write(`FAILED  ${name}\n${detail.replace(/^/gm, "        ")}\n`);
  }
}
process.stdout.write(
  failed === 0 ? "All checks passed.\n" : `${failed} of ${Object.keys(checks).length} checks failed.\n`,
);
process.exitCode = failed === 0 ? 0 : 1;

function programOf(path) {
  return join(root, "node_modules", path);
}
