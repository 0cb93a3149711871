import { type Decision, type Json, OptioError, type Progress, type Question } from "@optio/core";
import { type Command, Option } from "commander";
import { exitCodes } from "../exit-code.js";
import { addEngineFlags, type EngineFlags } from "../flags/engine-flags.js";
import { parseJsonlRow, rowId } from "../input/jsonl-row.js";
import { parseQuestionFlag, type QuestionFlag, questionFlagsHelp } from "../input/question-flags.js";
import { collectQuestions } from "../input/questions.js";
import { readChunks } from "../input/read-file.js";
import { type Line, splitLines } from "../input/split-lines.js";
import { readState } from "../input/state.js";
import { untilAborted } from "../input/until-aborted.js";
import { isInterruption } from "../interrupt.js";
import { renderAnswer, renderFooter } from "../output/decision-view.js";
import { errorJson, writeJson, writeJsonLine } from "../output/json.js";
import { printable } from "../output/printable.js";
import { styleFor } from "../output/style.js";
import type { CommandHost } from "../program.js";
import { openSession, type Session } from "../session.js";

interface DecideFlags extends EngineFlags {
  readonly questions?: string;
  readonly file?: string;
  readonly stateFormat?: "text" | "json";
  readonly jsonl?: boolean;
  readonly field: string;
}

type Questions = Readonly<Record<string, Question>>;

const inputGroup = "Input:";
const questionGroup = "Questions (at least one):";

export function addDecideCommand(program: Command, host: CommandHost): void {
  const typed: QuestionFlag[] = [];
  const question = (type: QuestionFlag["type"], what: string): Option =>
    new Option(`--${type} <question>`, what)
      .argParser((text: string) => {
        typed.push(parseQuestionFlag(type, text));
        return undefined;
      })
      .helpGroup(questionGroup);

  const command = program
    .command("decide")
    .summary("answer questions about a text")
    .description(
      "Answers one or more questions about a text: the probability of each option, and how sure the answer is.",
    )
    .argument("[text]", "what to decide about; stdin when it is missing or -")
    .addOption(question("choice", "one of named options"))
    .addOption(question("noul", "a yes/no question"))
    .addOption(question("score", "one of ordered levels"))
    .addOption(new Option("--questions <file>", "questions as System One JSON").helpGroup(questionGroup))
    .addOption(
      new Option("-f, --file <file>", "read the text from a file; .json is read as JSON").helpGroup(inputGroup),
    )
    .addOption(
      new Option("--state-format <format>", "read the input as").choices(["text", "json"]).helpGroup(inputGroup),
    )
    .addOption(new Option("--jsonl", "JSON lines in, JSON lines out, as they come").helpGroup(inputGroup))
    .addOption(
      new Option("--field <name>", "with --jsonl: the member that holds the text")
        .default("state")
        .helpGroup(inputGroup),
    );
  addEngineFlags(command)
    .addHelpText("after", `\n${questionFlagsHelp}\n\n${examples}\n\n${notes}`)
    .action(async (text: string | undefined, flags: DecideFlags) => {
      const questions = await collectQuestions(typed, flags.questions);
      if (flags.jsonl) await decideLines(questions, text, flags, host);
      else await decideOne(questions, text, flags, host);
    });
}

const examples = `Examples:
  optio decide "I was charged twice, please fix this today" \\
    --choice 'team=Which team? | billing: Invoices | technical: Bugs | other' \\
    --noul 'angry=Is the customer angry?' \\
    --score 'urgency=How urgent is it? | can wait | this week | today'
  optio decide --file letter.txt --questions questions.json \\
    --policy accept=0.9,review=0.6
  optio decide --jsonl --field body --noul 'spam=Is this spam?' \\
    < mails.jsonl > answers.jsonl`;

const notes = `JSON lines: each line is a text in quotes, or an object whose member "state" (or
--field) holds it; "id" is kept. A line that fails gives {"line", "id", "error":
{"code", "message", "hint"}}; the rest go on, and the exit code is 5.

Exit codes: 0 done, 1 internal, 2 usage, 3 model or engine, 5 some lines failed,
130 interrupted.`;

async function decideOne(
  questions: Questions,
  text: string | undefined,
  flags: DecideFlags,
  host: CommandHost,
): Promise<void> {
  const { context } = host;
  const state = await readState(text, flags, context.stdin);
  await using session = await openSession(flags, host);
  const decision = await decide(session, state, {
    questions,
    flags,
    signal: host.signal,
    onProgress: session.progress.report,
  }).finally(() => session.progress.clear());
  if (flags.json) await writeJson(context.stdout, decision);
  else await context.stdout.write(renderDecision(decision, questions, session, host));
  if (!flags.quiet && !flags.json) await writeWarnings(decision, host);
}

interface Call {
  readonly questions: Questions;
  readonly flags: DecideFlags;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

function decide(session: Session, state: Json, { questions, flags, signal, onProgress }: Call): Promise<Decision> {
  return session.decider.decide({
    state,
    questions,
    reuse: flags.reuse,
    signal,
    ...(onProgress === undefined ? {} : { onProgress }),
    ...(flags.timeout === undefined ? {} : { timeoutMs: flags.timeout }),
  });
}

function renderDecision(decision: Decision, questions: Questions, session: Session, host: CommandHost): string {
  const style = styleFor(host.context.stdout, host.context.env);
  const blocks = Object.entries(questions).flatMap(([id, question]) => {
    const answer = decision.answers[id];
    return answer === undefined
      ? []
      : [
          renderAnswer(
            { id, instructions: question.instructions, answer, readout: decision.receipt.readout },
            style,
          ).join("\n"),
        ];
  });
  const formula = Object.values(decision.answers)[0]?.confidenceFormula;
  const footer = renderFooter(
    {
      timings: decision.timings,
      usage: decision.usage,
      // Of a server only the answer tells which model it has.
      engine: { ...session.engine, model: { ...session.engine.model, id: decision.receipt.model.id } },
      ...(formula === undefined ? {} : { formula }),
    },
    style,
  );
  return `${[...blocks, footer].join("\n\n")}\n`;
}

async function writeWarnings(decision: Decision, { context }: CommandHost): Promise<void> {
  const { yellow } = styleFor(context.stderr, context.env);
  for (const warning of decision.warnings) await context.stderr.write(`${yellow("warning:")} ${printable(warning)}\n`);
}

async function decideLines(
  questions: Questions,
  file: string | undefined,
  flags: DecideFlags,
  host: CommandHost,
): Promise<void> {
  const { context, signal, exitWith } = host;
  const lines = inputLines(file, flags, host);
  await using session = await openSession(flags, host);
  let done = 0;
  let failed = 0;
  for await (const line of lines) {
    const result = await answerLine(line, session, { questions, flags, signal });
    if ("error" in result) failed++;
    done++;
    await writeJsonLine(context.stdout, result);
    // The reader went away, as `head` does: nobody wants the rest.
    if (context.stdout.closed) return;
    session.progress.show({ phase: "lines", text: `${done} lines done, ${failed} failed` });
  }
  session.progress.clear();
  if (failed === 0) return;
  if (!flags.quiet) await context.stderr.write(`${failed} of ${done} lines failed\n`);
  exitWith(exitCodes.rows);
}

function inputLines(
  text: string | undefined,
  flags: DecideFlags,
  { context, signal }: CommandHost,
): AsyncIterable<Line> {
  if (text !== undefined && text !== "-") {
    throw new OptioError(
      "invalid_setting",
      "With --jsonl the text comes from stdin or --file, not from the command line.",
      {
        hint: "Leave the text out, or leave --jsonl out.",
      },
    );
  }
  if (flags.file === undefined && context.stdin.isTerminal) {
    throw new OptioError("invalid_setting", "There are no lines to read: stdin is a terminal.", {
      hint: "Pipe the lines in, or name a --file.",
    });
  }
  const chunks = flags.file === undefined ? context.stdin.chunks() : readChunks(flags.file, "--file");
  return splitLines(untilAborted(chunks, signal));
}

async function answerLine(line: Line, session: Session, call: Call): Promise<object> {
  const id = rowId(line);
  const place = { line: line.number, ...(id === undefined ? {} : { id }) };
  try {
    const { state } = parseJsonlRow(line, call.flags.field);
    return { ...place, ...(await decide(session, state, call)) };
  } catch (error) {
    if (isInterruption(error, call.signal)) throw error;
    return { ...place, error: errorJson(OptioError.from(error)) };
  }
}
