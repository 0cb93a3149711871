import { type Command, Option } from "commander";
import { askRows } from "../eval/ask-rows.js";
import { type DataFlags, readTasks } from "../eval/read-tasks.js";
import { gateOf, type Report, renderReport, reportJson, reportNotes } from "../eval/report.js";
import { openResultsFile } from "../eval/results-file.js";
import { runSettings } from "../eval/run-settings.js";
import { summarize } from "../eval/summary.js";
import { exitCodes } from "../exit-code.js";
import { addEngineFlags, type EngineFlags } from "../flags/engine-flags.js";
import { share, wholeNumber } from "../flags/number-flag.js";
import { writeJson } from "../output/json.js";
import { styleFor } from "../output/style.js";
import type { CommandHost } from "../program.js";
import { openSession } from "../session.js";

interface EvalFlags extends EngineFlags, DataFlags {
  readonly limit?: number;
  readonly out?: string;
  readonly resume: boolean;
  readonly failUnder?: number;
}

const dataGroup = "Data:";
const runGroup = "Run:";

export function addEvalCommand(program: Command, host: CommandHost): void {
  const command = program
    .command("eval")
    .summary("measure accuracy and time on labelled rows")
    .description(
      "Asks every labelled row of a file and says how often the answer was right, in all and by family, and how long it took.",
    )
    .argument("<file>", "labelled rows: JSON lines in JevBench's task format, or CSV with a header")
    .addOption(
      new Option("--format <format>", "instead of by the file's ending").choices(["jsonl", "csv"]).helpGroup(dataGroup),
    )
    .addOption(new Option("--text-column <name>", "CSV: column of the text").default("text").helpGroup(dataGroup))
    .addOption(
      new Option("--label-column <name>", "CSV: column of the right answer").default("label").helpGroup(dataGroup),
    )
    .addOption(new Option("--family-column <name>", "CSV: column to count accuracy by").helpGroup(dataGroup))
    .addOption(
      new Option("--instructions <text>", "CSV: the question that is asked about each text").helpGroup(dataGroup),
    )
    .addOption(
      new Option("--options <list>", "CSV: labels in their order, with commas between (default: as they first appear)")
        .argParser(commaList)
        .helpGroup(dataGroup),
    )
    .addOption(
      new Option("--limit <n>", "only the first n rows")
        .argParser(wholeNumber("--limit", 1, 1_000_000_000))
        .helpGroup(runGroup),
    )
    .addOption(
      new Option(
        "-o, --out <file>",
        "write each row's result as a JSON line, and go on from there the next time",
      ).helpGroup(runGroup),
    )
    .addOption(new Option("--resume", "go on with what is in --out").default(true).helpGroup(runGroup))
    .addOption(new Option("--no-resume", "replace what is in --out").helpGroup(runGroup))
    .addOption(
      new Option("--fail-under <share>", "exit 4 when the lower end of the accuracy's interval is below this")
        .argParser(share("--fail-under"))
        .helpGroup(runGroup),
    );
  addEngineFlags(command)
    .addHelpText("after", `\n${examples}\n\n${notes}`)
    .action((file: string, flags: EvalFlags) => evaluate(file, flags, host));
}

const examples = `Examples:
  optio eval tasks.jsonl --out results.jsonl
  optio eval messages.csv --instructions "What is this message about?" \\
    --readout sequence --prior
  optio eval tasks.jsonl --fail-under 0.6 --json`;

const notes = `A line of JSON is {"id", "family", "state", "question": {"type", "instructions",
"criteria"}, "labels", "expected"}. The options stand in the order of "labels"; a
yes/no has the labels yes and no, and the criteria true and false.
Labels of a CSV file are shown to the model with their underscores as spaces.

Intervals are Wilson's, 95 %. Rows that the engine could not answer count as not
right; rows that cannot be asked do not count. --out goes on only with the same
data, model, readout, profile and engine; failed rows are asked again.

Exit codes: 0 done, 1 internal, 2 usage, 3 model or engine, 4 below --fail-under,
5 some rows failed, 130 interrupted (finished rows are kept).`;

function commaList(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

async function evaluate(path: string, flags: EvalFlags, host: CommandHost): Promise<void> {
  const { context } = host;
  const data = await readTasks(path, flags);
  await using session = await openSession(flags, host);
  const out =
    flags.out === undefined
      ? undefined
      : await openResultsFile(flags.out, runSettings(data, flags, session), flags.resume);
  const rows = flags.limit === undefined ? data.rows : data.rows.slice(0, flags.limit);
  const options = { host, session, out, reuse: flags.reuse, timeoutMs: flags.timeout };
  const run = await askRows(rows, options).finally(() => out?.close());

  const summary = summarize(run.results);
  const gate = flags.failUnder === undefined ? undefined : gateOf(summary, flags.failUnder);
  const report: Report = { path, dataSha256: data.sha256, session, run, summary, gate, out: flags.out };
  if (flags.json) await writeJson(context.stdout, reportJson(report, context.machine()));
  else await context.stdout.write(`${renderReport(report, styleFor(context.stdout, context.env)).join("\n")}\n`);
  if (!flags.quiet) for (const note of reportNotes(report)) await context.stderr.write(`${note}\n`);

  if (run.interrupted) host.exitWith(exitCodes.interrupted);
  else if (gate !== undefined && !gate.passed) host.exitWith(exitCodes.gate);
  else if (summary.failed + summary.unusable > 0) host.exitWith(exitCodes.rows);
}
