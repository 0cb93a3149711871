import {
  BaseDecisionModel,
  type ClassifierRequest,
  type ClassifierResponse,
  parseClassifierResponse,
  type Question,
  type State,
} from "@langchain/core/decisions";
import type { RunnableBatchOptions, RunnableConfig } from "@langchain/core/runnables";
import type { Decision } from "../decide.js";
import type { Decider } from "../decider.js";
import { chooseDecider, type DeciderChoice } from "../given-decider.js";
import type { Answer } from "../questions/question.js";
import { langchainQuestions } from "./langchain-questions.js";
import { langchainState } from "./langchain-state.js";

/** The options of a decider, or a decider that is there already. */
export type OptioDecisionModelFields = DeciderChoice & {
  /** What traces call the model. A response names the model that answered. Default `optio`. */
  readonly model?: string;
};

type Config = Partial<RunnableConfig>;

/** Calls of one `batch` that are on their way together, unless the caller says otherwise: fewer than a decider's queue holds. */
const batchConcurrency = 32;

const decisions = new WeakMap<object, Decision>();

/** The decision behind a response of `OptioDecisionModel`: receipt, actions, label mass, warnings. Copies of a response have none. */
export function decisionOf(response: ClassifierResponse): Decision | undefined {
  return decisions.get(response);
}

/**
 * LangChain's decision model over an engine of optio. Nothing is loaded before the first decision.
 *
 * `confidence` is optio's, by the formula of the decider (`scaled-max` unless set).
 *
 * @example
 * const model = new OptioDecisionModel({ engine: wasm() });
 * const { answers } = await model.invoke({ state: "...", questions: { ... } });
 */
export class OptioDecisionModel extends BaseDecisionModel implements AsyncDisposable {
  lc_namespace = ["optio", "decisions"];
  readonly #decider: Decider;
  readonly #close: () => Promise<void>;

  /** Minifiers change the name of a class, and traces show it. */
  static override lc_name(): string {
    return "OptioDecisionModel";
  }

  /** @throws OptioError `invalid_setting` */
  constructor(fields: OptioDecisionModelFields) {
    const { model = "optio", ...choice } = fields;
    // Only the name: what LangChain is given may end up in a trace.
    super({ model });
    const { decider, close } = chooseDecider(choice as DeciderChoice);
    this.#decider = decider;
    this.#close = close;
  }

  get _provider(): string {
    return "optio";
  }

  /** @throws OptioError by the codes of `errors.ts`; the signal's own reason when aborted. */
  async _classify(
    state: State,
    questions: Record<string, Question>,
    { signal }: Config = {},
  ): Promise<ClassifierResponse> {
    const decision: Decision = await this.#decider.decide({
      state: langchainState(state),
      questions: langchainQuestions(questions),
      ...(signal === undefined ? {} : { signal }),
    });
    const { usage, receipt } = decision;
    const answers: [string, Answer][] = Object.entries(decision.answers);
    const response = parseClassifierResponse({
      model: receipt.model.id,
      answers: Object.fromEntries(answers.map(([id, answer]) => [id, langchainAnswer(answer, questions[id])])),
      usage_metadata: {
        input_tokens: usage.inputTokens,
        output_tokens: usage.outputTokens,
        total_tokens: usage.inputTokens + usage.outputTokens,
        input_token_details: { cache_read: usage.reusedTokens },
      },
    });
    decisions.set(response, decision);
    return response;
  }

  override batch(
    inputs: ClassifierRequest[],
    options?: Config | Config[],
    batchOptions?: RunnableBatchOptions & { returnExceptions?: false },
  ): Promise<ClassifierResponse[]>;
  override batch(
    inputs: ClassifierRequest[],
    options?: Config | Config[],
    batchOptions?: RunnableBatchOptions & { returnExceptions: true },
  ): Promise<(ClassifierResponse | Error)[]>;
  override batch(
    inputs: ClassifierRequest[],
    options?: Config | Config[],
    batchOptions?: RunnableBatchOptions,
  ): Promise<(ClassifierResponse | Error)[]>;
  override batch(
    inputs: ClassifierRequest[],
    options?: Config | Config[],
    batchOptions?: RunnableBatchOptions,
  ): Promise<(ClassifierResponse | Error)[]> {
    return super.batch(inputs, options, { maxConcurrency: batchConcurrency, ...batchOptions });
  }

  /** Closes the engine, unless the model was given a decider. Safe to call twice. */
  close(): Promise<void> {
    return this.#close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function langchainAnswer(answer: Answer, question: Question | undefined): object {
  switch (answer.type) {
    case "noul":
      return { type: "noul", noul: answer.noul };
    case "choice": {
      const { type, choice, probabilities, confidence } = answer;
      return { type, choice, probabilities, confidence };
    }
    case "score": {
      const { type, score, probabilities, confidence } = answer;
      // The rubric as it was given: a level may be JSON.
      const levels = question?.type === "score" ? question.criteria : [];
      return { type, score, probabilities, confidence, legend: Object.fromEntries(levels.entries()) };
    }
  }
}
