import { join } from "node:path";
import { readOptions, usage } from "../e2e/bench/options.mjs";
import { writeDocs } from "../e2e/bench/save.mjs";
import { runInTerminal } from "./setup/children.mjs";
import { findBrowser } from "./setup/find-browser.mjs";
import { cache, root } from "./setup/places.mjs";
import { setUp } from "./setup/set-up.mjs";
import { modelById } from "./setup/steps/model.mjs";

const args = process.argv.slice(2);
const options = understood();
if (options.help) {
  process.stdout.write(usage);
} else if (options.writeDocs !== undefined) {
  await writeDocs(options.writeDocs);
  process.stdout.write("docs/performance.md is written, with its charts and results.\n");
} else {
  const models = options.list ? [] : [...new Set(options.files.map(({ model }) => model))].map(modelById);
  await setUp({ withBrowser: true, models });
  process.exitCode = await runInTerminal(process.execPath, [join(root, "e2e/bench/main.mjs"), ...args], {
    cwd: root,
    env: { OPTIO_CACHE: cache, OPTIO_CHROMIUM: findBrowser() },
  });
}

function understood() {
  try {
    return readOptions(args);
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${usage}`);
    process.exit(2);
  }
}
