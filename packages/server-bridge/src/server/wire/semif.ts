import { type Answer, choice, type Decision, type EngineInfo, type Question, type StateInput } from "@optio/core";
import { type OrderedJson, toPlainJson } from "@optio/core/wire";
import { z } from "zod";
import { HttpError } from "../http-error.js";
import { Float, type JsonValue } from "./json-text.js";

/** Decisions over one state at most, as AWS's sample server of this wire has it. */
const maxDecisions = 8;

const decisionSchema = z.strictObject({
  id: z.string().min(1),
  state: z.unknown(),
  question: z.string().min(1),
  options: z
    .array(z.strictObject({ id: z.string().min(1), description: z.string() }))
    .min(2)
    .max(16),
});

/** One or several decisions over the same state. */
export interface SemifRequest {
  readonly state: StateInput;
  readonly questions: Readonly<Record<string, Question>>;
  /** In the order of the request, which is that of the response. */
  readonly ids: readonly string[];
  readonly shared: boolean;
}

/** Whether a body speaks this wire. */
export function isSemif(body: ReadonlyMap<string, OrderedJson>): boolean {
  return body.has("decision") || body.has("decisions");
}

/** @throws HttpError 400, as the sample server answers, for everything that does not fit. */
export function semifRequest(body: ReadonlyMap<string, OrderedJson>): SemifRequest {
  if (body.size !== 1) throw bad("The body has fields beside `decision` or `decisions`.");
  const shared = body.has("decisions");
  const given = toPlainJson(body.get(shared ? "decisions" : "decision") ?? null);
  const parsed = z
    .array(decisionSchema)
    .min(1)
    .max(maxDecisions)
    .safeParse(shared ? given : [given]);
  if (!parsed.success) throw bad(z.prettifyError(parsed.error));
  const [first] = parsed.data;
  const state = JSON.stringify(first?.state);
  if (parsed.data.some((decision) => JSON.stringify(decision.state) !== state)) {
    throw bad("The decisions do not all have the same state.");
  }
  const questions = new Map(
    parsed.data.map(({ id, question, options }) => [
      id,
      choice(
        question,
        options.map((option) => [option.id, option.description] as const),
      ),
    ]),
  );
  if (questions.size < parsed.data.length) throw bad("Two decisions have the same id.");
  return {
    state: first?.state as StateInput,
    questions: Object.fromEntries(questions),
    ids: [...questions.keys()],
    shared,
  };
}

export function semifResponse(decision: Decision, request: SemifRequest, engine: EngineInfo): JsonValue {
  const { usage, timings, receipt } = decision;
  const answers = decision.answers as Readonly<Record<string, Answer>>;
  const results = request.ids.flatMap((id): JsonValue[] => {
    const answer = answers[id];
    if (answer === undefined) return [];
    const { distribution, labelMass } = answer;
    const result = {
      id,
      option_ids: distribution.map(({ option }) => option),
      probabilities: distribution.map(({ probability }) => new Float(probability)),
      allowed_token_mass: labelMass === undefined ? null : new Float(labelMass),
      // Of all together only the sum is known.
      input_tokens: Math.ceil(usage.inputTokens / request.ids.length),
      model: { id: engine.model.id, sha256: engine.model.sha256 ?? null },
      readout: receipt.readout?.kind ?? "own",
      total_seconds: new Float(timings.totalMs / 1000),
    };
    return [result];
  });
  if (!request.shared) return { result: results[0] ?? null };
  return {
    results,
    timing: {
      batch_size: results.length,
      prefill_seconds: new Float(timings.prefillMs / 1000),
      suffix_forward_seconds: new Float(timings.questionsMs / 1000),
      total_seconds: new Float(timings.totalMs / 1000),
    },
  };
}

function bad(message: string): HttpError {
  return new HttpError(400, "invalid_request", message);
}
