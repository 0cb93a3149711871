import { z } from "zod";
import { having, whole } from "../check-options.js";
import { OptioError } from "../errors.js";
import { chat } from "../generate/chat.js";
import { type LabelSource, labelSource } from "../prompt/labels.js";
import { type PassSpec, type PromptContext, type PromptPlan, planPasses } from "../prompt/plan.js";
import { builtInProfile, type PromptProfile, profileIdentity, profileSchema } from "../prompt/profile.js";
import { preparePromptFrame } from "../prompt/prompt-frame.js";
import { stateText } from "../prompt/state-text.js";
import type { NamedQuestion } from "../questions/question.js";
import type { ScoreResult, Scorer } from "../scorer/scorer.js";
import type { StoredModel } from "../store/stored-models.js";
import type {
  ChatEvent,
  ChatRequest,
  DecisionRequest,
  Engine,
  EngineCallOptions,
  EngineInfo,
  EngineKind,
  ManyDecisionsRequest,
  ModelIdentity,
  Pass,
  RawDecision,
  Readout,
  State,
  Usage,
} from "./engine.js";
import { inGroups } from "./in-groups.js";
import { type TokenShare, tokenShares } from "./token-shares.js";

/** What a local engine needs to know of a model beside its file. */
export interface LocalModel {
  readonly identity: ModelIdentity;
  readonly contextTokens: number;
  readonly profile: PromptProfile;
  readonly readout: Readout;
}

/** Options that engines which run a model on this machine have in common, for `checkOptions`. */
export const localEngineFields = {
  model: z.string({ error: "must be an id, a path or an address" }),
  contextTokens: whole(64, 1_048_576),
  profile: profileSchema,
  store: having("a model store", "get"),
};

/** For models that the catalogue does not know: what was best for most of those it knows. */
const defaultReadout: Readout = { kind: "letter", orders: 2, prior: false, length: "total" };
const defaultContextTokens = 2_048;
const defaultProfile = "state-first";

/**
 * The facts of a stored model, with what the caller wants otherwise.
 *
 * @throws OptioError `model_unsupported` for a model that only other engines can run.
 */
export function localModel(
  { id, sha256, entry }: StoredModel,
  asked: { readonly contextTokens?: number; readonly profile?: PromptProfile },
): LocalModel {
  if (entry?.kind === "decision") {
    throw new OptioError("model_unsupported", `${id} is a decision model, which this engine cannot read yet.`);
  }
  return {
    identity: { id, sha256 },
    contextTokens: asked.contextTokens ?? entry?.contextTokens ?? defaultContextTokens,
    profile: asked.profile ?? builtInProfile(entry?.profile ?? defaultProfile),
    readout: entry?.readout ?? defaultReadout,
  };
}

export interface LocalEngineOptions {
  readonly kind: EngineKind;
  readonly scorer: Scorer;
  readonly model: LocalModel;
}

/** An engine around a scorer on this machine. Owns the scorer: closing the engine closes it, and so does a failure here. */
export async function createLocalEngine({ kind, scorer, model }: LocalEngineOptions): Promise<Engine> {
  try {
    const { profile } = model;
    const frame = await preparePromptFrame(scorer, profile.system, new AbortController().signal);
    const labels: LabelSource = labelSource(scorer, frame);
    const info: LocalEngineInfo = {
      kind,
      backend: scorer.info.variant,
      threads: scorer.info.threads,
      model: { ...model.identity, quantization: scorer.info.model.fileType },
      contextTokens: scorer.info.model.contextTokens,
      defaultReadout: model.readout,
      profile: profileIdentity(profile),
      scorer: { target: scorer.info.target, llamaRelease: scorer.info.llamaRelease },
      ...(frame.pinnedDate === undefined ? {} : { templateDate: frame.pinnedDate }),
    };
    return new LocalEngine(info, { scorer, profile, frame, labels });
  } catch (error) {
    await scorer.close();
    throw error;
  }
}

/** Priors kept; each is a few numbers. */
const maxPriors = 1_000;

/** States of one plan at most; the context size limits them as well. */
const statesTogether = 64;

/** Whoever plans the prompts knows how they are read. */
type LocalEngineInfo = EngineInfo & Required<Pick<EngineInfo, "defaultReadout">>;

class LocalEngine implements Engine {
  readonly info: LocalEngineInfo;
  readonly #context: PromptContext;
  readonly #priors = new Map<string, Pass>();
  #closed = false;

  constructor(info: LocalEngineInfo, context: PromptContext) {
    this.info = info;
    this.#context = context;
  }

  async decide({ state, ...request }: DecisionRequest, options: EngineCallOptions): Promise<RawDecision> {
    const [decision] = (await this.#decideTogether([state], request, options)) ?? [];
    if (decision === undefined) throw new OptioError("internal", "A decision is missing.");
    return decision;
  }

  async *decideMany({ states, ...request }: ManyDecisionsRequest, options: EngineCallOptions) {
    const deadline = performance.now() + options.timeoutMs;
    yield* inGroups(states, {
      // Numbers that repeat exactly must not depend on which other states there are.
      size: request.reuse ? statesTogether : 1,
      signal: options.signal,
      work: (group) =>
        this.#decideTogether(group, request, { ...options, timeoutMs: Math.max(1, deadline - performance.now()) }),
    });
  }

  /** One plan over all the states; `undefined` where they would not fit into the context together. */
  async #decideTogether(
    states: readonly State[],
    request: Omit<DecisionRequest, "state">,
    options: EngineCallOptions,
  ): Promise<readonly RawDecision[] | undefined> {
    if (this.#closed) throw new OptioError("engine_closed", "The engine was closed.");
    options.signal.throwIfAborted();
    const { scorer, profile } = this.#context;
    const deadline = performance.now() + options.timeoutMs;
    const readout: Readout = { ...this.info.defaultReadout, ...request.readout };
    const actual = states.flatMap((state) => passSpecs(request.questions, readout, stateText(state), "actual"));
    const empty = readout.prior ? passSpecs(request.questions, readout, profile.emptyState, "empty") : [];
    const keys = empty.map((spec) => priorKey(spec, readout));
    const missing = empty.filter((_, index) => !request.reuse || !this.#priors.has(keys[index] ?? ""));

    // Both are planned before either is evaluated, so that a text that is too long costs nothing. The prior comes first:
    // what is left in the cache then begins with the state, which the next call may share.
    const [priorPlan, plan] = await Promise.all([
      missing.length === 0 ? undefined : planPasses(this.#context, readout, missing, options.signal),
      planPasses(this.#context, readout, actual, options.signal),
    ]);
    if (states.length > 1 && plan.tokens > scorer.info.model.contextTokens) return undefined;
    const totalTokens = plan.tokens + (priorPlan?.tokens ?? 0);
    const evaluate = async (prompt: PromptPlan, before: number) => {
      const result = await scorer.score(prompt.plan, {
        signal: options.signal,
        reuse: request.reuse,
        timeoutMs: Math.max(1, deadline - performance.now()),
        onProgress: ({ evaluatedTokens }) =>
          options.onProgress?.({ phase: "evaluate", evaluatedTokens: before + evaluatedTokens, totalTokens }),
      });
      return { result, passes: prompt.toPasses(result) };
    };

    const prior = priorPlan === undefined ? undefined : await evaluate(priorPlan, 0);
    const measured = new Map(missing.map((spec, index) => [priorKey(spec, readout), prior?.passes[index]]));
    const emptyPasses = keys.map((key) => measured.get(key) ?? this.#priors.get(key));
    for (const [key, pass] of measured) if (pass !== undefined) this.#remember(key, pass);
    const main = await evaluate(plan, prior?.result.evaluatedTokens ?? 0);

    const perState = actual.length / states.length;
    const nodesOf = states.map((_, index) => plan.nodesOf.slice(index * perState, (index + 1) * perState).flat());
    const shares = tokenShares(plan.plan, nodesOf, main.result.reusedTokens);
    return shares.map((tokens, index): RawDecision => {
      // The first state of the call pays for the priors, as for everything that all need.
      const paid = index === 0 ? prior?.result : undefined;
      const share =
        main.result.evaluatedTokens === 0 ? 1 / states.length : tokens.evaluated / main.result.evaluatedTokens;
      const passes = main.passes.slice(index * perState, (index + 1) * perState);
      return {
        questions: request.questions.map((_, question) => ({
          passes: [...slice(passes, question, readout.orders), ...slice(emptyPasses, question, readout.orders)],
        })),
        readout,
        usage: usageOf(tokens, paid, keys.length - (index === 0 ? missing.length : 0)),
        timings: {
          prefillMs: main.result.prefillMs * share,
          questionsMs: main.result.branchesMs * share,
          priorMs: (paid?.prefillMs ?? 0) + (paid?.branchesMs ?? 0),
        },
        batchedStates: states.length,
        warnings: [],
      };
    });
  }

  async *chat(request: ChatRequest, options: EngineCallOptions): AsyncGenerator<ChatEvent> {
    if (this.#closed) throw new OptioError("engine_closed", "The engine was closed.");
    options.signal.throwIfAborted();
    const { scorer, frame } = this.#context;
    const { eosToken, eotToken } = scorer.info.model;
    yield* chat(scorer, [frame.endToken ?? eosToken, eosToken, eotToken], request, options);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#context.scorer.close();
  }

  #remember(key: string, pass: Pass): void {
    const [oldest] = this.#priors.keys();
    if (this.#priors.size >= maxPriors && oldest !== undefined) this.#priors.delete(oldest);
    this.#priors.set(key, pass);
  }
}

function usageOf(tokens: TokenShare, prior: ScoreResult | undefined, reusedPriors: number): Usage {
  const evaluatedTokens = tokens.evaluated + (prior?.evaluatedTokens ?? 0);
  const reusedTokens = tokens.reused + (prior?.reusedTokens ?? 0);
  return { inputTokens: evaluatedTokens + reusedTokens, outputTokens: 0, evaluatedTokens, reusedTokens, reusedPriors };
}

/** One pass a question and order, questions first. */
function passSpecs(
  questions: readonly NamedQuestion[],
  readout: Readout,
  text: string,
  state: Pass["state"],
): readonly PassSpec[] {
  return questions.flatMap(({ question }) => {
    const asWritten = question.options.map((_, index) => index);
    const orders = readout.orders === 1 ? [asWritten] : [asWritten, [...asWritten].reverse()];
    return orders.map((order) => ({ question, stateText: text, state, order }));
  });
}

/** Model and profile are fixed for an engine; everything else that a prior depends on is in the key. */
function priorKey({ question, order }: PassSpec, readout: Readout): string {
  return JSON.stringify([readout.kind, question.instructions, question.options, order]);
}

function slice(passes: readonly (Pass | undefined)[], index: number, orders: number): readonly Pass[] {
  return passes.slice(index * orders, (index + 1) * orders).filter((pass) => pass !== undefined);
}
