import type {
  Experimental_DecisionModelV4,
  Experimental_DecisionModelV4Answer,
  Experimental_DecisionModelV4CallOptions,
  Experimental_DecisionModelV4Result,
  JSONObject,
} from "@ai-sdk/provider";
import { checkOptions, flag, options as optionsOf, timeoutMs } from "../check-options.js";
import { type Decision, type DecisionSettings, settingFields } from "../decide.js";
import type { Decider } from "../decider.js";
import type { Answer } from "../questions/question.js";
import { sdkError } from "./sdk-error.js";
import { sdkQuestions, supportedQuestionTypes } from "./sdk-questions.js";
import { sdkState } from "./sdk-state.js";

const provider = "optio";

/** The AI SDK's decision model over a decider. */
export function decisionModel(decider: Decider, modelId: string): Experimental_DecisionModelV4 {
  return {
    specificationVersion: "v4",
    provider,
    modelId,
    supportedQuestionTypes,
    async doDecide(options) {
      const { abortSignal, providerOptions = {} } = options;
      try {
        const decision = await decider.decide({
          ...callSettings(providerOptions[provider]),
          state: sdkState(options.state),
          questions: sdkQuestions(options.questions, { provider, modelId }),
          ...(abortSignal === undefined ? {} : { signal: abortSignal }),
        });
        return sdkResult(decision, withoutEffect(options));
      } catch (error) {
        throw sdkError(error, Object.keys(options.questions));
      }
    },
  };
}

interface CallSettings extends DecisionSettings {
  readonly reuse?: boolean;
  readonly timeoutMs?: number;
}

const callOptions = optionsOf({ ...settingFields, reuse: flag, timeoutMs });

function callSettings(given: unknown = {}): CallSettings {
  checkOptions(callOptions, given);
  return given as CallSettings;
}

type Warnings = Experimental_DecisionModelV4Result["warnings"];

/** What a caller may ask of a model that writes, and what means nothing to one that only decides. */
function withoutEffect({ maxOutputTokens, reasoning }: Experimental_DecisionModelV4CallOptions): Warnings {
  const details = "Nothing is generated.";
  const thinks = reasoning !== undefined && reasoning !== "none" && reasoning !== "provider-default";
  return [
    ...(maxOutputTokens === undefined ? [] : [{ type: "unsupported", feature: "maxOutputTokens", details } as const]),
    ...(thinks ? [{ type: "unsupported", feature: "reasoning", details } as const] : []),
  ];
}

function sdkResult(decision: Decision, warnings: Warnings): Experimental_DecisionModelV4Result {
  const { usage, receipt } = decision;
  const answers: [string, Answer][] = Object.entries(decision.answers);
  return {
    answers: Object.fromEntries(answers.map(([id, answer]) => [id, sdkAnswer(answer)])),
    usage: { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens },
    warnings: [...warnings, ...decision.warnings.map((message) => ({ type: "other", message }) as const)],
    providerMetadata: {
      [provider]: { ...receipt, answers: Object.fromEntries(answers.map(([id, answer]) => [id, judgement(answer)])) },
    } as unknown as Record<string, JSONObject>,
    response: { modelId: receipt.model.id },
  };
}

function sdkAnswer(answer: Answer): Experimental_DecisionModelV4Answer {
  switch (answer.type) {
    case "choice":
      return { type: "choice", choice: answer.choice, probabilities: { ...answer.probabilities } };
    case "score":
      return { type: "score", score: answer.score, probabilities: { ...answer.probabilities } };
    case "noul":
      return { type: "boolean", probability: answer.noul };
  }
}

/** What the SDK's own answers have no place for. */
function judgement({ confidence, confidenceFormula, action, labelMass }: Answer): JSONObject {
  return {
    confidence,
    confidenceFormula,
    ...(action === undefined ? {} : { action }),
    ...(labelMass === undefined ? {} : { labelMass }),
  };
}
