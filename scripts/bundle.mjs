import { existsSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { runInTerminal } from "./setup/children.mjs";
import { pnpmProgram, root } from "./setup/places.mjs";
import { setUp } from "./setup/set-up.mjs";

// npm run bundle -- FOLDER: builds everything, and puts the command line with all that it needs to run into a folder.
const [folder, ...rest] = process.argv.slice(2);
if (folder === undefined || folder.startsWith("-") || rest.length > 0) {
  process.stderr.write(
    "npm run bundle -- FOLDER\n\nFOLDER must be empty or not there; it gets bin/optio.js and its packages.\n",
  );
  process.exit(2);
}
const target = resolve(folder);
if (existsSync(target) && readdirSync(target).length > 0) {
  process.stderr.write(`${target} is not empty.\n`);
  process.exit(2);
}
await setUp();
process.exitCode = await runInTerminal(
  process.execPath,
  [pnpmProgram(), "--filter", "optio", "deploy", "--prod", "--legacy", target],
  { cwd: root },
);
