import { OptioError, type StoredModel } from "@optio/core";
import type { Command } from "commander";
import { mayAsk } from "../ensure-model.js";
import { exitCodes } from "../exit-code.js";
import { isInterruption } from "../interrupt.js";
import { listModels, pathOf, renderModelList } from "../models/model-list.js";
import { formatBytes } from "../output/byte-size.js";
import { errorJson, writeJson } from "../output/json.js";
import { printable } from "../output/printable.js";
import { ProgressLine } from "../output/progress-line.js";
import { styleFor } from "../output/style.js";
import type { CommandHost } from "../program.js";

interface ModelFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

interface RemoveFlags extends ModelFlags {
  readonly yes?: boolean;
}

const jsonFlag = ["--json", "JSON on stdout, errors too"] as const;
const quietFlag = ["-q, --quiet", "no progress on stderr"] as const;

export function addModelsCommand(program: Command, host: CommandHost): void {
  const models = program
    .command("models")
    .summary("list, download, check and remove models")
    .description(
      "Models on this machine. They are kept in the folder that OPTIO_CACHE names, or else in your cache folder.",
    )
    .helpCommand(false);

  models
    .command("list")
    .summary("what is known and what is here")
    .description("Lists the models of the catalogue and those that you added.")
    .option(...jsonFlag)
    .action((flags: ModelFlags) => list(flags, host));
  models
    .command("pull")
    .summary("download a model of the catalogue")
    .description("Downloads a model and checks it against its published hash. A download that broke off goes on.")
    .argument("[id]", "id of the model (default: the default model)")
    .option(...jsonFlag)
    .option(...quietFlag)
    .action((id: string | undefined, flags: ModelFlags) =>
      keep(flags, host, (options) => host.context.store().get(id, options)),
    );
  models
    .command("add")
    .summary("add a GGUF file of your own")
    .description("Copies a GGUF file into the store, or downloads one from an address.")
    .argument("<file or address>", "path, or http(s) address, of a GGUF file")
    .option(...jsonFlag)
    .option(...quietFlag)
    .action((file: string, flags: ModelFlags) =>
      keep(flags, host, (options) => host.context.store().add(file, options)),
    );
  models
    .command("verify")
    .summary("read models again and compare their hashes")
    .description("Reads a stored model, or all of them, and compares the hash. Exit code 3 when one differs.")
    .argument("[id]", "id of the model (default: all that are here)")
    .option(...jsonFlag)
    .option(...quietFlag)
    .action((id: string | undefined, flags: ModelFlags) => verify(id, flags, host));
  models
    .command("remove")
    .summary("remove a model")
    .description("Removes a model, or what a broken-off download left of it.")
    .argument("<id>", "id of the model")
    .option("-y, --yes", "do not ask")
    .option(...jsonFlag)
    .action((id: string, flags: RemoveFlags) => remove(id, flags, host));
}

async function list({ json }: ModelFlags, { context }: CommandHost): Promise<void> {
  const models = await listModels(context.store());
  if (json) await writeJson(context.stdout, { models });
  else {
    const lines = renderModelList(models, styleFor(context.stdout, context.env));
    await context.stdout.write(`${lines.join("\n")}\n`);
  }
}

type StoreOptions = Parameters<ReturnType<CommandHost["context"]["store"]>["get"]>[1] & object;

function storeOptions(
  { quiet }: ModelFlags,
  { context, signal }: CommandHost,
): { options: StoreOptions; progress: ProgressLine } {
  const progress = new ProgressLine(context.stderr, { now: context.now, env: context.env, silent: quiet ?? false });
  return { progress, options: { signal, onProgress: progress.report } };
}

async function keep(
  flags: ModelFlags,
  host: CommandHost,
  work: (options: StoreOptions) => Promise<StoredModel>,
): Promise<void> {
  const { stdout } = host.context;
  const { options, progress } = storeOptions(flags, host);
  const model = await work(options).finally(() => progress.clear());
  if (flags.json) await writeJson(stdout, { model: modelJson(model) });
  else {
    await stdout.write(`${printable(model.id)} is here: ${printable(pathOf(model) ?? model.fileName)}\n`);
    if (model.trust === "first-use") {
      await stdout.write(
        "Nothing vouches for its bytes: `optio models verify` will only tell whether they changed since.\n",
      );
    }
  }
}

function modelJson(model: StoredModel): object {
  const { id, fileName, sizeBytes, sha256, trust, source } = model;
  return { id, fileName, bytes: sizeBytes, sha256, trust, source: source ?? null, path: pathOf(model) };
}

async function verify(id: string | undefined, flags: ModelFlags, host: CommandHost): Promise<void> {
  const { context, signal } = host;
  const store = context.store();
  const { options, progress } = storeOptions(flags, host);
  const ids = id === undefined ? (await store.list()).map((model) => model.id) : [id];
  const results: object[] = [];
  let damaged = 0;
  for (const each of ids) {
    try {
      const { sha256, sizeBytes } = await store.verify(each, options).finally(() => progress.clear());
      results.push({ id: each, ok: true, sha256 });
      if (!flags.json)
        await context.stdout.write(`${printable(each)} is as it was published or added (${formatBytes(sizeBytes)})\n`);
    } catch (error) {
      // Only a difference is a result; anything else ends the command.
      if (isInterruption(error, signal) || !OptioError.isInstance(error, "hash_mismatch", "model_invalid")) throw error;
      damaged++;
      results.push({ id: each, ok: false, error: errorJson(error) });
      if (!flags.json) await context.stdout.write(`${printable(each)} is damaged: ${printable(error.message)}\n`);
    }
  }
  if (flags.json) await writeJson(context.stdout, { models: results });
  else if (ids.length === 0) await context.stdout.write("No models are here.\n");
  if (damaged > 0) host.exitWith(exitCodes.engine);
}

async function remove(id: string, flags: RemoveFlags, { context }: CommandHost): Promise<void> {
  const store = context.store();
  const status = await store.status(id);
  if (status.state !== "absent" && !flags.yes) {
    if (!mayAsk(context)) {
      throw new OptioError("invalid_setting", `Removing ${id} needs your word, and nobody can be asked here.`, {
        hint: "Add --yes.",
      });
    }
    const bytes = status.state === "stored" ? status.model.sizeBytes : status.loadedBytes;
    if (!(await context.ask(`Remove ${id} (${formatBytes(bytes)})?`))) {
      await context.stderr.write("Nothing was removed.\n");
      return;
    }
  }
  const removed = await store.remove(id);
  if (flags.json) await writeJson(context.stdout, { removed });
  else
    await context.stdout.write(
      `${printable(removed.id)} was removed, ${formatBytes(removed.freedBytes)} are free again\n`,
    );
}
