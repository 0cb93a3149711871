import type { Answer, Decision, EngineInfo, Question, StateInput } from "@optio/core";
import { type OrderedJson, questionsFromWire, readJson, toPlainJson } from "@optio/core/wire";
import { HttpError } from "../http-error.js";
import { Float, type JsonValue } from "./json-text.js";

/** A request of `POST /v1/systemone`, checked as far as the wire goes. */
export interface SystemOneRequest {
  readonly state: StateInput;
  /** As the client named it; `undefined` for whichever there is. */
  readonly model: string | undefined;
  readonly questions: Readonly<Record<string, Question>>;
}

/**
 * Reads a body.
 *
 * @throws HttpError 400 for what is no JSON object
 * @throws OptioError `invalid_question` and its siblings, with the path of what is wrong
 */
export function readSystemOne(text: string, limits: { readonly maxQuestions: number }): SystemOneRequest {
  return systemOneRequest(readBody(text), limits);
}

/** A body as JSON whose objects keep the order of their text. */
export function readBody(text: string): ReadonlyMap<string, OrderedJson> {
  let body: OrderedJson;
  try {
    body = readJson(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new HttpError(400, "invalid_json", `The body is not JSON: ${why}`, { cause });
  }
  if (!(body instanceof Map)) throw new HttpError(400, "invalid_json", "The body is not a JSON object.");
  return body;
}

export function systemOneRequest(
  body: ReadonlyMap<string, OrderedJson>,
  { maxQuestions }: { readonly maxQuestions: number },
): SystemOneRequest {
  const model = body.get("model");
  if (model !== undefined && model !== null && typeof model !== "string") {
    throw new HttpError(422, "validation_error", "model is not text.");
  }
  const questions = questionsFromWire(body.get("questions"));
  const count = Object.keys(questions).length;
  if (count > maxQuestions) {
    throw new HttpError(
      422,
      "validation_error",
      `There are ${count} questions, more than the ${maxQuestions} allowed.`,
    );
  }
  // What a state may be is checked by the decider; here it only becomes plain JSON.
  const state = toPlainJson(body.get("state") ?? null) as StateInput;
  return { state, model: model ?? undefined, questions };
}

/** What makes up a response beside the decision. */
export interface ResponseFacts {
  readonly engine: EngineInfo;
  readonly requestId: string;
}

/** The response: the wire's own fields exactly, ours in one `optio` block each. */
export function systemOneResponse(decision: Decision, { engine, requestId }: ResponseFacts): JsonValue {
  const { usage, timings, receipt, warnings } = decision;
  const answers = Object.entries(decision.answers as Readonly<Record<string, Answer>>);
  return {
    model: engine.model.id,
    answers: new Map(answers.map(([id, answer]) => [id, wireAnswer(answer)])),
    usage: { input_tokens: usage.inputTokens, output_tokens: 0 },
    optio: {
      request_id: requestId,
      timings: {
        queue_ms: timings.queueMs,
        prefill_ms: timings.prefillMs,
        questions_ms: timings.questionsMs,
        prior_ms: timings.priorMs,
        total_ms: timings.totalMs,
      },
      usage: { evaluated_tokens: usage.evaluatedTokens, reused_tokens: usage.reusedTokens },
      warnings: [...warnings],
      receipt: receipt as unknown as JsonValue,
    },
  };
}

function wireAnswer(answer: Answer): JsonValue {
  const optio = {
    confidence: new Float(answer.confidence),
    confidence_formula: answer.confidenceFormula,
    action: answer.action,
    label_mass: answer.labelMass === undefined ? undefined : new Float(answer.labelMass),
  };
  switch (answer.type) {
    case "noul":
      return { type: "noul", noul: new Float(answer.noul), optio };
    case "choice":
      return {
        type: "choice",
        choice: answer.choice,
        probabilities: probabilitiesOf(answer),
        confidence: new Float(answer.confidence),
        optio,
      };
    case "score":
      return {
        type: "score",
        score: new Float(answer.score),
        legend: answer.legend,
        probabilities: probabilitiesOf(answer),
        confidence: new Float(answer.confidence),
        optio: { ...optio, level: answer.level },
      };
  }
}

/** In the author's order. */
function probabilitiesOf({ distribution }: Answer): JsonValue {
  return new Map(distribution.map(({ option, probability }) => [option, new Float(probability)]));
}
