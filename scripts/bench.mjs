import { join } from "node:path";
import { runInTerminal } from "./setup/children.mjs";
import { findBrowser } from "./setup/find-browser.mjs";
import { cache, root } from "./setup/places.mjs";
import { setUp } from "./setup/set-up.mjs";
import { modelWithRole } from "./setup/steps/model.mjs";

await setUp({ withBrowser: true, models: [modelWithRole("fixture")] });
process.exitCode = await runInTerminal(process.execPath, [join(root, "e2e/bench/main.mjs"), ...process.argv.slice(2)], {
  cwd: root,
  env: { OPTIO_CACHE: cache, OPTIO_CHROMIUM: findBrowser() },
});
