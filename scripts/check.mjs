import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { CommandFailed, run } from "./setup/children.mjs";
import { filesUnder } from "./setup/fingerprint.mjs";
import { pnpmProgram, root } from "./setup/places.mjs";
import { seconds } from "./setup/progress-line.mjs";
import { setUp } from "./setup/set-up.mjs";

await setUp();

const tool = (name, ...args) => run(process.execPath, [programOf(name), ...args], { cwd: root });
const published = ["core", "server-bridge", "cli"];
const typed = ["packages/core", "packages/server-bridge", "packages/cli", "packages/web-demo", "e2e"];
/** Lines that a source may have; tests may be longer. */
const maxLines = 300;

/** All run, even after one has failed. */
const checks = {
  types: async () => {
    for (const folder of typed) await tool("typescript/bin/tsc", "--noEmit", "-p", join(folder, typesConfig(folder)));
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
    tool("dependency-cruiser/bin/dependency-cruise.mjs", "--config", ".dependency-cruiser.cjs", "packages"),
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
    for (const subpath of Object.keys(exports).filter((key) => key !== ".")) {
      const index = readFileSync(join(root, "packages/core/src", subpath, "index.ts"), "utf8");
      if (index.split("\n").length > 40) throw new Error(`${subpath}/index.ts has more than 40 lines`);
      if (!readme.includes(`@optio/core/${subpath.slice(2)}`))
        throw new Error(`README.md does not name @optio/core/${subpath.slice(2)}`);
    }
  },
  "list of errors": () => run(process.execPath, ["scripts/check/errors-doc.mjs"], { cwd: root }),
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

function typesConfig(folder) {
  return folder.startsWith("packages/") && folder !== "packages/web-demo" ? "tsconfig.test.json" : "tsconfig.json";
}
