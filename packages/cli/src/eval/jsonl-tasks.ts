import { choice, type Json, noul, OptioError, type Question, score } from "@optio/core";
import { z } from "zod";
import type { Line } from "../input/split-lines.js";
import { type BadRow, defaultFamily, type Row, type Task } from "./task.js";

const json: z.ZodType<Json> = z.json();
const text = z.string().trim().min(1);
const label = z.union([z.string(), z.number().int(), z.boolean()]).transform(String);

const base = {
  id: z.union([z.string(), z.number()]).transform(String).optional(),
  family: z.string().optional(),
  state: json,
  /** The options in their order; the criteria of a choice may be sorted. */
  labels: z.array(label).optional(),
  expected: label,
};

const description = z.string().nullable().optional();

const taskLine = z.object({
  ...base,
  question: z.discriminatedUnion("type", [
    z.object({ type: z.literal("choice"), instructions: text, criteria: z.record(z.string(), description) }),
    z.object({
      type: z.literal("noul"),
      instructions: text,
      criteria: z.object({ true: description, false: description }).nullish(),
    }),
    z.object({ type: z.literal("score"), instructions: text, criteria: z.array(z.string()) }),
  ]),
});

type TaskLine = z.infer<typeof taskLine>;

/** One line of JevBench's task format: `id, family, state, question, labels, expected`. */
export function parseTaskLine(line: Line): Row {
  let id: string | undefined;
  try {
    const value: unknown = JSON.parse(line.text);
    id = idOf(value);
    const parsed = taskLine.safeParse(value);
    if (!parsed.success) throw new OptioError("invalid_question", firstIssue(parsed.error), { hint: formatHint });
    return toTask(line.number, parsed.data);
  } catch (error) {
    return badRow(line.number, id, error);
  }
}

const formatHint =
  'A line is {"id", "family", "state", "question": {"type", "instructions", "criteria"}, "labels", "expected"}; id, family and labels may be left out.';

function toTask(line: number, data: TaskLine): Task {
  const { question, expected } = makeQuestion(data);
  if (!question.options.some(({ key }) => key === expected)) {
    const known = question.options.map(({ key }) => key).join(", ");
    throw new OptioError("invalid_question", `expected is "${expected}", which is none of the options: ${known}.`, {
      hint: formatHint,
    });
  }
  return {
    line,
    id: data.id ?? `line-${line}`,
    family: data.family ?? defaultFamily,
    state: data.state,
    question,
    expected,
  };
}

function makeQuestion({ question, labels, expected }: TaskLine): { question: Question; expected: string } {
  switch (question.type) {
    case "choice": {
      const options = orderedOptions(question.criteria, labels);
      return { question: choice(question.instructions, options), expected };
    }
    case "noul": {
      const criteria = compact({ true: question.criteria?.true, false: question.criteria?.false });
      return { question: noul(question.instructions, criteria), expected: sideOf(expected) };
    }
    case "score":
      return { question: score(question.instructions, question.criteria), expected };
  }
}

/** The order is that of `labels`; without them, that of the criteria, unless JavaScript has changed it. */
function orderedOptions(
  criteria: Readonly<Record<string, string | null | undefined>>,
  labels: readonly string[] | undefined,
): (readonly [string, string | null])[] {
  const keys = Object.keys(criteria);
  if (labels === undefined) {
    if (keys.some((key) => /^(0|[1-9]\d*)$/u.test(key))) {
      throw new OptioError(
        "ambiguous_option_order",
        "The criteria have keys that look like integers, and the line has no labels.",
        {
          hint: "Add labels: the options in their order.",
        },
      );
    }
    return keys.map((key) => [key, criteria[key] ?? null]);
  }
  const missing = keys.find((key) => !labels.includes(key)) ?? labels.find((name) => !(name in criteria));
  if (missing !== undefined || keys.length !== labels.length) {
    throw new OptioError(
      "invalid_options",
      `labels and criteria differ${missing === undefined ? "" : `: "${missing}" is in only one of them`}.`,
    );
  }
  return labels.map((key) => [key, criteria[key] ?? null]);
}

function sideOf(expected: string): string {
  const side = expected.toLowerCase();
  if (side === "yes") return "true";
  return side === "no" ? "false" : side;
}

function compact(criteria: { true: string | null | undefined; false: string | null | undefined }): {
  true?: string;
  false?: string;
} {
  return {
    ...(criteria.true ? { true: criteria.true } : {}),
    ...(criteria.false ? { false: criteria.false } : {}),
  };
}

function idOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("id" in value)) return undefined;
  return typeof value.id === "string" || typeof value.id === "number" ? String(value.id) : undefined;
}

export function badRow(line: number, id: string | undefined, error: unknown): BadRow {
  const typed =
    error instanceof SyntaxError
      ? new OptioError("invalid_state", `Line ${line} is not JSON: ${error.message}.`, {
          hint: "Write one JSON value on each line.",
        })
      : OptioError.from(error);
  return { line, ...(id === undefined ? {} : { id }), error: typed };
}

function firstIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return "The line does not fit the format.";
  const path = issue.path.join(".");
  return path === "" ? `${issue.message}.` : `${path}: ${issue.message}.`;
}
