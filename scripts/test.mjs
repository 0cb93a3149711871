import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runInTerminal } from "./setup/children.mjs";
import { findBrowser } from "./setup/find-browser.mjs";
import { cache, root } from "./setup/places.mjs";
import { setUp } from "./setup/set-up.mjs";
import { modelWithRole } from "./setup/steps/model.mjs";

// npm test [-- FILTER...]: sets up everything and runs all tests, or those whose file names contain a filter.
const filters = process.argv.slice(2);
await setUp({ withBrowser: true, models: [modelWithRole("fixture")] });

const reports = join(root, "node_modules/.optio/reports");
const env = { OPTIO_CACHE: cache, OPTIO_CHROMIUM: findBrowser() };

/** One after the other: each may take all processors. */
const runners = [
  {
    name: "vitest",
    report: "vitest.json",
    args: (report) => [
      join(root, "node_modules/vitest/vitest.mjs"),
      ...[
        "run",
        "--passWithNoTests",
        "--reporter=default",
        "--reporter=json",
        `--outputFile.json=${report}`,
        ...filters,
      ],
    ],
    cwd: root,
    count: ({ numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults }) => ({
      passed: numPassedTests,
      // A file that cannot be loaded has no tests of its own to fail.
      failed:
        numFailedTests +
        testResults.filter(({ status, assertionResults }) => status === "failed" && assertionResults.length === 0)
          .length,
      skipped: numPendingTests + numTodoTests,
    }),
  },
  {
    name: "playwright",
    report: "playwright.json",
    args: () => [
      join(root, "e2e/node_modules/@playwright/test/cli.js"),
      "test",
      "--pass-with-no-tests",
      "--reporter=list,json",
      ...filters,
    ],
    cwd: join(root, "e2e"),
    count: ({ stats, errors }) => ({
      passed: stats.expected + stats.flaky,
      failed: stats.unexpected + errors.length,
      skipped: stats.skipped,
    }),
  },
];

const total = { passed: 0, failed: 0, skipped: 0 };
for (const runner of runners) {
  const report = join(reports, runner.report);
  rmSync(report, { force: true });
  const status = await runInTerminal(process.execPath, runner.args(report), {
    cwd: runner.cwd,
    env: { ...env, PLAYWRIGHT_JSON_OUTPUT_NAME: report },
  });
  const counts = countsIn(report, runner.count) ?? { passed: 0, failed: 1, skipped: 0 };
  // A runner that ends badly with nothing failed has crashed, or met an error outside of its tests.
  if (status !== 0 && counts.failed === 0) counts.failed = 1;
  process.stdout.write(
    `\n${runner.name}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`,
  );
  for (const key of Object.keys(total)) total[key] += counts[key];
}

const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed${skipped}\n`);
const nothingRan = total.passed + total.failed === 0;
if (nothingRan)
  process.stderr.write(`No test ran${filters.length > 0 ? `: no file name contains ${filters.join(" or ")}` : ""}.\n`);
process.exitCode = total.failed > 0 || nothingRan ? 1 : 0;

function countsIn(report, count) {
  try {
    return count(JSON.parse(readFileSync(report, "utf8")));
  } catch {
    return undefined;
  }
}
