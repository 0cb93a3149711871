import { OptioError } from "@optio/core";
import { CommanderError } from "commander";
import type { CliContext } from "./context.js";
import { type ExitCode, exitCodeFor, exitCodes } from "./exit-code.js";
import { interruption, isInterruption } from "./interrupt.js";
import { nodeContext } from "./node-context.js";
import { renderError } from "./output/error-view.js";
import { errorJson, writeJson } from "./output/json.js";
import { styleFor } from "./output/style.js";
import { createProgram } from "./program.js";

/** Runs the program on this process's own streams. */
export async function main(argv: readonly string[]): Promise<ExitCode> {
  // Engines let a process end while they are idle; this one must not end before its result is out.
  const alive = setInterval(() => undefined, 60_000);
  try {
    return await run(argv, nodeContext());
  } finally {
    clearInterval(alive);
  }
}

/**
 * Runs one command line.
 *
 * @param argv what follows the program's name.
 * @returns the exit code; nothing is thrown.
 */
export async function run(argv: readonly string[], context: CliContext): Promise<ExitCode> {
  const abort = new AbortController();
  const stopListening = context.onInterrupt(() => abort.abort(interruption()));
  let code: ExitCode = exitCodes.ok;
  const program = createProgram(context, abort.signal, (result) => {
    code = result;
  });
  try {
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (error) {
    return await report(error, argv, context, abort.signal);
  } finally {
    stopListening();
  }
}

async function report(
  error: unknown,
  argv: readonly string[],
  context: CliContext,
  signal: AbortSignal,
): Promise<ExitCode> {
  if (isInterruption(error, signal)) {
    await context.stderr.write("interrupted\n");
    return exitCodes.interrupted;
  }
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.ok;
  // Help for a command line without a command went to stderr already.
  if (error instanceof CommanderError && error.code === "commander.help") return exitCodes.usage;

  const typed = error instanceof CommanderError ? usageError(error, argv) : OptioError.from(error);
  if (wantsJson(argv)) await writeJson(context.stdout, { error: errorJson(typed) });
  else await context.stderr.write(renderError(typed, styleFor(context.stderr, context.env)));
  return exitCodeFor(typed);
}

function usageError(error: CommanderError, argv: readonly string[]): OptioError {
  const message = error.message.replace(/^error: /u, "");
  const command = argv.find((argument) => !argument.startsWith("-"));
  const known = command !== undefined && ["decide", "eval", "models", "doctor", "serve", "mcp"].includes(command);
  return new OptioError(
    "invalid_setting",
    `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.?)]$/u.test(message) ? "" : "."}`,
    {
      hint: `\`optio ${known ? `${command} ` : ""}--help\` shows what there is.`,
    },
  );
}

function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end === -1 ? argv : argv.slice(0, end)).includes("--json");
}
