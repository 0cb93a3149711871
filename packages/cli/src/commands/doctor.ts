import { catalogue, OptioError, type StoredModel } from "@optio/core";
import type { Command } from "commander";
import type { CliContext } from "../context.js";
import type { Diagnosis } from "../doctor/check.js";
import { diagnose, type ModelFacts } from "../doctor/diagnose.js";
import { exitCodes } from "../exit-code.js";
import { renderDiagnosis } from "../output/doctor-view.js";
import { writeJson } from "../output/json.js";
import { styleFor } from "../output/style.js";
import type { CommandHost } from "../program.js";

export function addDoctorCommand(program: Command, host: CommandHost): void {
  program
    .command("doctor")
    .summary("say what this machine can run, and why not")
    .description(
      "Checks Node, processor, memory, the engines and the models, and says what to do about what is not right.",
    )
    .option("--json", "JSON on stdout, errors too")
    .addHelpText("after", "\nExit codes: 0 at least one engine can decide, 3 none can.")
    .action(async ({ json }: { json?: boolean }) => {
      const { context } = host;
      const diagnosis: Diagnosis = await diagnose(context.probes, await modelFacts(host));
      if (json) await writeJson(context.stdout, diagnosis);
      else {
        const lines = renderDiagnosis(diagnosis, styleFor(context.stdout, context.env));
        await context.stdout.write(`${lines.join("\n")}\n`);
      }
      if (diagnosis.engines.length === 0) host.exitWith(exitCodes.engine);
    });
}

async function modelFacts({ context }: CommandHost): Promise<ModelFacts> {
  const usual = catalogue.find(({ role }) => role === "default");
  if (usual === undefined) throw new OptioError("internal", "The catalogue names no default model.");
  return { usual, stored: (await storedModels(context)).map(({ id, sizeBytes }) => ({ id, bytes: sizeBytes })) };
}

/** None when the store cannot be read, which the check of its folder reports. */
async function storedModels({ store }: CliContext): Promise<readonly StoredModel[]> {
  try {
    return await store().list();
  } catch {
    return [];
  }
}
