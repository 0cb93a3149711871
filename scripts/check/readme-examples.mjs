import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommandFailed, run } from "../setup/children.mjs";
import { root } from "../setup/places.mjs";

// Compiles the TypeScript examples of README.md against the built packages: node scripts/check/readme-examples.mjs
// Later examples go on from the first, each in a scope of its own.
const readme = readFileSync(join(root, "README.md"), "utf8");
const examples = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code);
if (examples.length === 0) throw new Error("README.md has no TypeScript example");

const isImport = /^import .*;$/gm;
const imports = new Set(examples.flatMap((code) => code.match(isImport) ?? []));
const [first, ...later] = examples.map((code) => code.replace(isImport, ""));
const scopes = later.map((code) => `{\n${code}}\n`);

// Inside a package that depends on ours; what the adapters are made for comes from core, which is tested with it.
const folder = join(root, "packages/cli/node_modules/.readme-examples");
mkdirSync(folder, { recursive: true });
try {
  symlinkSync(join(root, "packages/core/node_modules"), join(folder, "node_modules"), "dir");
  writeFileSync(join(folder, "examples.ts"), [...imports, first, ...scopes, "export {};\n"].join("\n"));
  const settings = { extends: join(root, "tsconfig.base.json"), compilerOptions: { noEmit: true, types: ["node"] } };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ ...settings, files: ["examples.ts"] }));
  await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder], { cwd: root });
} catch (error) {
  process.stderr.write(`${error instanceof CommandFailed ? error.tail.join("\n") : error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
