import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import { ensureNativeTools } from "../e2e/bench/tools/native-tools.mjs";
import { runInTerminal } from "./setup/children.mjs";
import { cache, root } from "./setup/places.mjs";
import { setUp } from "./setup/set-up.mjs";
import { modelWithRole } from "./setup/steps/model.mjs";

// npm run test:long [-- FILTER...]: minutes of load, thousands of decisions, faults, and a real llama-server (built once, a quarter
// of an hour). What was measured goes to .bench/reliability.md.
await setUp({ models: [modelWithRole("fixture")] });
const tools = await ensureNativeTools({ log: (line) => console.log(line) });
const report = join(root, ".bench/reliability.md");
mkdirSync(dirname(report), { recursive: true });
writeFileSync(report, "");
const processors = cpus();
appendFileSync(
  report,
  `${processors[0]?.model}, ${processors.length} processors; Node ${process.versions.node}; ${new Date().toISOString().slice(0, 10)}; \`npm run test:long\`\n\n| what | measured |\n| --- | --- |\n`,
);
process.exitCode = await runInTerminal(
  process.execPath,
  [join(root, "node_modules/vitest/vitest.mjs"), "run", "--config", "vitest.long.config.ts", ...process.argv.slice(2)],
  { cwd: root, env: { OPTIO_CACHE: cache, OPTIO_LLAMA_SERVER: tools.server, OPTIO_REPORT: report } },
);
process.stdout.write(`\nWhat was measured: ${report}\n`);
