import { Command, type CommanderError } from "commander";
import { addDecideCommand } from "./commands/decide.js";
import { addDoctorCommand } from "./commands/doctor.js";
import { addEvalCommand } from "./commands/eval.js";
import { addMcpCommand } from "./commands/mcp.js";
import { addModelsCommand } from "./commands/models.js";
import { addServeCommand } from "./commands/serve.js";
import type { CliContext } from "./context.js";
import { type ExitCode, exitCodesHelp } from "./exit-code.js";
import { version } from "./version.js";

/** What a command gets besides its flags. */
export interface CommandHost {
  readonly context: CliContext;
  /** Fires on Ctrl-C. */
  readonly signal: AbortSignal;
  /** Sets what the program ends with; 0 unless called. */
  readonly exitWith: (code: ExitCode) => void;
}

export function createProgram(context: CliContext, signal: AbortSignal, exitWith: (code: ExitCode) => void): Command {
  const program = new Command("optio")
    .description(
      "Answers questions with a known set of outcomes, by the probability that a small local model gives to each.",
    )
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand(false)
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(text),
      // Errors are printed in one place, see main.ts.
      outputError: () => undefined,
      getOutHelpWidth: () => helpWidth(context.stdout.columns),
      getErrHelpWidth: () => helpWidth(context.stderr.columns),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({ sortSubcommands: false, sortOptions: false, showGlobalOptions: false })
    .exitOverride((error: CommanderError) => {
      throw error;
    })
    .addHelpText("after", `\n${example}\n\n${exitCodesHelp}`);

  const host: CommandHost = { context, signal, exitWith };
  addDecideCommand(program, host);
  addEvalCommand(program, host);
  addModelsCommand(program, host);
  addDoctorCommand(program, host);
  addServeCommand(program, host);
  addMcpCommand(program, host);
  return program;
}

const example = `Example:
  optio decide "I was charged twice, please fix this today" \\
    --choice 'team=Which team? | billing: Invoices | technical: Bugs | other' \\
    --noul 'angry=Is the customer angry?'`;

function helpWidth(columns: number | undefined): number {
  return Math.min(110, Math.max(60, columns ?? 100));
}
