import { catalogue, OptioError } from "@optio/core";
import type { CliContext } from "./context.js";
import { formatBytes } from "./output/byte-size.js";

/**
 * Makes sure that nothing large is downloaded without the user's word.
 *
 * @param reference as for the store; the default model when absent.
 * @param yes the user has agreed already.
 * @throws OptioError `invalid_setting` when the model is not here and nobody can be asked; `model_not_found` when the user
 *   said no, or there is no such model.
 */
export async function ensureModel(reference: string | undefined, yes: boolean, context: CliContext): Promise<void> {
  if (yes || (reference !== undefined && isPath(reference))) return;
  const status = await context.store().status(reference);
  if (status.state === "stored") return;

  const entry = catalogue.find(({ id, role }) =>
    reference === undefined ? role === "default" : id === reference.toLowerCase(),
  );
  const name = entry?.id ?? reference ?? "The default model";
  const left = (status.totalBytes ?? 0) - (status.state === "partial" ? status.loadedBytes : 0);
  const facts = [
    ...(left > 0 ? [`${formatBytes(left)} to download`] : []),
    ...(entry === undefined ? [] : [entry.licence]),
  ];
  const missing = `${name} is not on this machine yet${facts.length === 0 ? "" : ` (${facts.join(", ")})`}.`;
  const pull = `\`optio models pull ${entry?.id ?? reference ?? ""}\``;

  if (!mayAsk(context)) {
    throw new OptioError("invalid_setting", missing, { hint: `Download it with ${pull}, or add --yes.` });
  }
  if (!(await context.ask(`${missing} Download it now?`))) {
    throw new OptioError("model_not_found", missing, {
      hint: `Download it with ${pull}, or name another with --model; \`optio models list\` shows what there is.`,
    });
  }
}

/** Whether a question may be asked: both ends are terminals and no build server is at work. */
export function mayAsk(context: CliContext): boolean {
  return context.stdin.isTerminal && context.stdout.isTerminal && !context.env["CI"];
}

/** The user's own files are used where they lie. */
function isPath(reference: string): boolean {
  return !/^https?:/iu.test(reference) && /[/\\~]|\.gguf$/iu.test(reference);
}
