import { endChildrenOnInterrupt } from "./children.mjs";
import { NeedsPerson, runSteps, StepFailed } from "./run-steps.mjs";
import { dependencies } from "./steps/dependencies.mjs";
import { model } from "./steps/model.mjs";
import { packageManager } from "./steps/package-manager.mjs";
import { packages } from "./steps/packages.mjs";
import { nativeScorer, wasmScorer } from "./steps/scorer.mjs";
import { systemPackages } from "./steps/system-packages.mjs";

/**
 * Sets up what a root script needs; what is up to date is skipped. Ends the process with a message when it cannot go on.
 *
 * @param {{ withBrowser?: boolean, models?: readonly object[] }} wants `models`: entries of the catalogue
 */
export async function setUp({ withBrowser = false, models = [] } = {}) {
  endChildrenOnInterrupt();
  const steps = [
    systemPackages({ withBrowser }),
    packageManager,
    dependencies,
    wasmScorer,
    nativeScorer,
    packages,
    ...models.map(model),
  ];
  try {
    await runSteps(steps);
  } catch (error) {
    if (!(error instanceof NeedsPerson) && !(error instanceof StepFailed)) throw error;
    process.stderr.write(`\n${error.message}\n`);
    process.exit(error instanceof NeedsPerson ? 2 : 1);
  }
}
