import { z } from "zod";
import { OptioError } from "../../errors.js";
import { type OrderedJson, toOrderedJson, toPlainJson, writeJson } from "../../questions/ordered-json.js";
import type { Json, NamedQuestion, Question } from "../../questions/question.js";
import { readJson } from "../../questions/read-json.js";
import type { EngineTimings, RawAnswer, State, Usage } from "../engine.js";

/** A decision as System One JSON text, with the options in their order. */
export function writeSystemOne(state: State, questions: readonly NamedQuestion[], model: string | undefined): string {
  const body = new Map<string, OrderedJson>([
    ...(model === undefined ? [] : [["model", model] as const]),
    ["state", toOrderedJson(stateJson(state))],
    ["questions", new Map(questions.map(({ id, question }) => [id, wireQuestion(question)]))],
  ]);
  return writeJson(body);
}

/** A state as the wires of other servers take it. */
export function stateJson(state: State): Json {
  switch (state.kind) {
    case "text":
      return state.text;
    case "json":
      return state.value;
    case "messages":
      return state.messages.map(({ role, content }) => ({ role, content }));
  }
}

function wireQuestion({ wire }: Question): OrderedJson {
  // The pairs of a choice become an object in their order, which only text can hold.
  return toOrderedJson(wire.type === "choice" ? { ...wire, criteria: new Map(wire.criteria) } : wire);
}

/** What a System One server answered. */
export interface SystemOneAnswer {
  /** The model that answered; absent when the server does not say. */
  readonly model?: string;
  /** In the order of the questions. */
  readonly questions: readonly RawAnswer[];
  readonly usage: Usage;
  readonly timings: EngineTimings;
  /** The receipt of a server of ours. */
  readonly receipt?: Json;
  /** What a server of ours warned about. */
  readonly warnings: readonly string[];
}

/**
 * Reads an answer.
 *
 * @throws OptioError `invalid_distribution` for what does not answer the questions
 */
export function readSystemOneAnswer(text: string, questions: readonly NamedQuestion[]): SystemOneAnswer {
  const { model, answers, usage, optio } = parsed(responseSchema, readText(text), "The answer");
  return {
    ...(model == null ? {} : { model }),
    questions: questions.map((named) => readAnswer(named, answers.get(named.id))),
    usage: {
      inputTokens: usage?.input_tokens ?? 0,
      outputTokens: usage?.output_tokens ?? 0,
      evaluatedTokens: optio?.usage?.evaluated_tokens ?? usage?.input_tokens ?? 0,
      reusedTokens: optio?.usage?.reused_tokens ?? 0,
      reusedPriors: 0,
    },
    timings: {
      prefillMs: optio?.timings?.prefill_ms ?? 0,
      questionsMs: optio?.timings?.questions_ms ?? 0,
      priorMs: optio?.timings?.prior_ms ?? 0,
    },
    ...(optio?.receipt === undefined ? {} : { receipt: toPlainJson(optio.receipt as OrderedJson) }),
    warnings: optio?.warnings ?? [],
  };
}

function readText(text: string): OrderedJson {
  try {
    return readJson(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new OptioError("invalid_distribution", `The server's answer cannot be read: ${why}`, { cause });
  }
}

function readAnswer({ id, question }: NamedQuestion, answer: unknown): RawAnswer {
  if (answer === undefined) throw new OptioError("invalid_distribution", `The server did not answer "${id}".`);
  const what = `The answer to "${id}"`;
  const { probabilities, optio } =
    question.type === "noul"
      ? noulNumbers(parsed(noulSchema, answer, what))
      : parsed(probabilitiesSchema, answer, what);
  const numbers = question.options.map(({ key }) => {
    const probability = probabilities.get(key);
    if (probability === undefined) {
      throw new OptioError("invalid_distribution", `${what} has no probability of "${key}".`);
    }
    return probability;
  });
  if (probabilities.size > numbers.length) {
    throw new OptioError("invalid_distribution", `${what} has probabilities of options that were not asked about.`);
  }
  const labelMass = optio?.label_mass ?? undefined;
  const order = numbers.map((_, index) => index);
  const reading = { kind: "probabilities", probabilities: numbers, ...(labelMass === undefined ? {} : { labelMass }) };
  return { passes: [{ order, state: "actual", reading: { ...reading, kind: "probabilities" } }] };
}

function noulNumbers({ noul, optio }: z.infer<typeof noulSchema>) {
  return {
    probabilities: new Map([
      ["true", noul],
      ["false", 1 - noul],
    ]),
    optio,
  };
}

function parsed<S extends z.ZodType>(schema: S, value: unknown, what: string): z.infer<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = (issue?.path ?? []).map(String).join(".");
  throw new OptioError("invalid_distribution", `${what} is not as the wire has it: ${path} ${issue?.message}`);
}

/** For objects with fixed fields, where order means nothing. */
const fields = (value: unknown) => (value instanceof Map ? Object.fromEntries(value) : value);

const count = z.number().int().min(0).catch(0);
const milliseconds = z.number().min(0).catch(0);
const ofOurs = z.preprocess(fields, z.object({ label_mass: z.number().nullish() }).optional().catch(undefined));

const noulSchema = z.preprocess(fields, z.object({ noul: z.number(), optio: ofOurs }));
const probabilitiesSchema = z.preprocess(
  fields,
  z.object({ probabilities: z.map(z.string(), z.number()), optio: ofOurs }),
);

const responseSchema = z.preprocess(
  fields,
  z.object({
    model: z.string().nullish(),
    answers: z.map(z.string(), z.unknown()),
    usage: z.preprocess(fields, z.object({ input_tokens: count, output_tokens: count }).optional().catch(undefined)),
    optio: z.preprocess(
      fields,
      z
        .object({
          usage: z.preprocess(fields, z.object({ evaluated_tokens: count, reused_tokens: count }).optional()),
          timings: z.preprocess(
            fields,
            z.object({ prefill_ms: milliseconds, questions_ms: milliseconds, prior_ms: milliseconds }).optional(),
          ),
          receipt: z.unknown(),
          warnings: z.array(z.string()).optional(),
        })
        .optional()
        .catch(undefined),
    ),
  }),
);
