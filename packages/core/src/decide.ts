import { z } from "zod";
import { flag, oneOf, options, within } from "./check-options.js";
import type {
  DecisionRequest,
  Engine,
  EngineCallOptions,
  EngineInfo,
  EngineTimings,
  RawDecision,
  Readout,
  Usage,
} from "./engines/engine.js";
import { OptioError } from "./errors.js";
import type { AnswersOf, QuestionsInput } from "./questions/normalize.js";
import type { Answer, ConfidenceFormula, NamedQuestion } from "./questions/question.js";
import { type CombinedAnswer, combinePasses } from "./trust/combine-passes.js";
import { checkConfidenceFormula, confidenceOf, defaultConfidenceFormula } from "./trust/confidence.js";
import { isLowLabelMass } from "./trust/label-mass.js";
import { actionFor, checkPolicy, type DecisionPolicy, policyFor } from "./trust/policy.js";
import { makeReceipt, type Receipt } from "./trust/receipt.js";
import { optioVersion } from "./version.js";

/** How a decision is read and judged. */
export interface DecisionSettings {
  /** Overrides of the model's default readout. */
  readonly readout?: Partial<Readout>;
  /** Default `scaled-max`. */
  readonly confidence?: ConfidenceFormula;
  /** From which confidence on to accept or to review an answer; without one, answers carry no action. */
  readonly policy?: DecisionPolicy;
  /** Label mass, 0 to 1, below which a decision is refused with `low_label_mass`. Default 0: it is only warned about. */
  readonly minLabelMass?: number;
}

export interface Decision<Q extends QuestionsInput = QuestionsInput> {
  /** By question id. */
  readonly answers: AnswersOf<Q>;
  readonly usage: Usage;
  readonly timings: DecisionTimings;
  readonly receipt: Receipt;
  /** What to be careful about, as sentences. */
  readonly warnings: readonly string[];
}

export interface DecisionTimings extends EngineTimings {
  /** Milliseconds spent waiting for earlier decisions. */
  readonly queueMs: number;
  /** Milliseconds from the start of the work to this answer: waiting and starting the engine not included. */
  readonly totalMs: number;
}

export interface RunOptions extends EngineCallOptions {
  readonly queueMs: number;
}

/** The path of a decision, from a checked request to typed answers. */
export async function runDecision(
  engine: Engine,
  request: Omit<DecisionRequest, "readout">,
  settings: DecisionSettings,
  { queueMs, ...call }: RunOptions,
): Promise<Decision> {
  const began = performance.now();
  const raw = await engine.decide({ ...request, readout: settings.readout ?? {} }, call);
  return judgeDecision(engine.info, raw, request, settings, { queueMs, began });
}

/**
 * What the engine found, as typed answers.
 *
 * @throws OptioError `invalid_distribution`, `non_finite_scores`, `degenerate_scores`, `low_label_mass`
 */
export function judgeDecision(
  engine: EngineInfo,
  raw: RawDecision,
  request: Pick<DecisionRequest, "questions" | "reuse">,
  settings: DecisionSettings,
  { queueMs, began }: { readonly queueMs: number; readonly began: number },
): Decision {
  const { confidence: formula = defaultConfidenceFormula } = settings;
  if (raw.questions.length !== request.questions.length) {
    throw new OptioError(
      "invalid_distribution",
      `The engine answered ${raw.questions.length} of ${request.questions.length} questions.`,
    );
  }

  const warnings = [...raw.warnings];
  const answers = request.questions.map((named, index): readonly [string, Answer] => {
    const combined = combinePasses(raw.questions[index] ?? { passes: [] }, raw.readout, named.question.options.length);
    warnings.push(...judge(named, combined, raw.readout, settings));
    return [named.id, toAnswer(named, combined, formula, settings)];
  });

  return {
    answers: Object.fromEntries(answers) as Decision["answers"],
    usage: raw.usage,
    timings: { ...raw.timings, queueMs, totalMs: performance.now() - began },
    receipt: makeReceipt({
      optioVersion,
      engine,
      decision: raw,
      confidenceFormula: formula,
      reuse: request.reuse,
    }),
    warnings,
  };
}

function toAnswer(
  { id, question }: NamedQuestion,
  { probabilities, labelMass }: CombinedAnswer,
  confidenceFormula: ConfidenceFormula,
  { policy }: DecisionSettings,
): Answer {
  const confidence = confidenceOf(probabilities, confidenceFormula);
  return {
    ...question.toAnswer(probabilities),
    confidence,
    confidenceFormula,
    ...(policy === undefined ? {} : { action: actionFor(confidence, policyFor(policy, id)) }),
    ...(labelMass === undefined ? {} : { labelMass }),
  } as Answer;
}

/** What is doubtful about an answer, as sentences. */
function judge(
  { id }: NamedQuestion,
  answer: CombinedAnswer,
  readout: Readout | undefined,
  settings: DecisionSettings,
): readonly string[] {
  const { minLabelMass = 0 } = settings;
  const { labelMass, flipped, rescaledFrom } = answer;
  if (labelMass !== undefined && labelMass < minLabelMass) {
    throw new OptioError(
      "low_label_mass",
      `Only ${percent(labelMass)} of the probability fell on the options of "${id}", less than the ${percent(minLabelMass)} asked for.`,
      { details: { question: id, labelMass, minLabelMass } },
    );
  }
  return [
    ...(labelMass !== undefined && isLowLabelMass(labelMass, readout)
      ? [
          `"${id}": only ${percent(labelMass)} of the probability fell on the options; the model may not have understood.`,
        ]
      : []),
    ...(flipped ? [`"${id}": the answer depends on the order of the options.`] : []),
    ...(rescaledFrom === undefined ? [] : [`"${id}": the engine's probabilities summed to ${rescaledFrom}.`]),
  ];
}

/** The fields of `DecisionSettings`, for `checkOptions`. */
export const settingFields = {
  readout: options({
    kind: oneOf(["letter", "sequence"]),
    orders: oneOf([1, 2]),
    prior: flag,
    length: oneOf(["total", "per-token"]),
  }),
  // These two have hints of their own: see `checkSettings`.
  confidence: z.unknown(),
  policy: z.unknown(),
  minLabelMass: within(0, 1),
};

/** @throws OptioError `invalid_setting` that names the setting. */
export function checkSettings({ policy, confidence }: DecisionSettings): void {
  if (policy !== undefined) checkPolicy(policy);
  if (confidence !== undefined) checkConfidenceFormula(confidence);
}

function percent(share: number): string {
  return `${(share * 100).toPrecision(2)} %`;
}
