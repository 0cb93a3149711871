import type { EngineInfo, EngineKind, RawDecision, Readout } from "../engines/engine.js";
import type { ErrorCode } from "../errors.js";
import type { ConfidenceFormula, Json } from "../questions/question.js";

/** One engine's part in a decision. */
export interface Attempt {
  readonly engine: EngineKind;
  /** The host that the state was, or would have been, sent to; `null` when it stays on this machine. */
  readonly destination: string | null;
  /** `answered`: this answer counts. `unsure`: another engine was asked as well. `skipped`: it was not asked. */
  readonly outcome: "answered" | "unsure" | "failed" | "skipped";
  /** The code of a failure, or what passed the engine over; `null` where it answered. */
  readonly reason: ErrorCode | PassedOver | null;
}

/** Why an engine was not asked: the state's size, its queue, a run of failures, no consent, or no budget left. */
export type PassedOver = "size" | "queue" | "breaker" | "consent" | "budget";

/**
 * Everything that makes a decision repeatable, as plain JSON with a stable order of fields. What an engine cannot know
 * is `null`.
 */
export interface Receipt {
  /** Version of this library. */
  readonly optioVersion: string;
  readonly engine: {
    readonly kind: EngineKind;
    /** What computed: `simd`, `simd-threads`, a native back end, or a host. */
    readonly backend: string;
    readonly threads: number | null;
    /** Release of llama.cpp; `null` for engines elsewhere. */
    readonly llamaRelease: string | null;
  };
  readonly model: {
    readonly id: string;
    /** Lower-case hex. */
    readonly sha256: string | null;
    readonly quantization: string | null;
  };
  /** `null` when the prompt is made elsewhere. */
  readonly profile: { readonly id: string; readonly version: number; readonly sha256: string } | null;
  /** Date that the model's chat template was given, `YYYY-MM-DD`; `null` when the template takes none. */
  readonly templateDate: string | null;
  /** `null` when the engine read in a way of its own. */
  readonly readout: Readout | null;
  readonly confidenceFormula: ConfidenceFormula;
  /** Probabilities are not calibrated in this version. */
  readonly calibration: null;
  readonly reuse: {
    /** Whether results of earlier calls could be used; `false` makes the numbers repeat exactly. */
    readonly allowed: boolean;
    /** Tokens that an earlier call, or an earlier state of the same call, had evaluated. */
    readonly tokens: number;
    /** Priors that were taken from an earlier call or state. */
    readonly priors: number;
    /** States that went through the model together with this one, itself included: 1, or more in `decideMany`. */
    readonly batchedStates: number;
  };
  /** The receipt that a server gave with its answer; `null` when there is none. */
  readonly upstream: Json;
  /** Every engine that had a part in this decision, in order; one, unless the decider has several. */
  readonly attempts: readonly Attempt[];
}

/** What a receipt is made of. */
export interface ReceiptFacts {
  readonly optioVersion: string;
  readonly engine: EngineInfo;
  readonly decision: Pick<RawDecision, "readout" | "answeredBy" | "upstream" | "usage" | "batchedStates">;
  readonly confidenceFormula: ConfidenceFormula;
  /** The request's `reuse`. */
  readonly reuse: boolean;
}

export function makeReceipt(facts: ReceiptFacts): Receipt {
  const { decision } = facts;
  const { readout, answeredBy: engine = facts.engine } = decision;
  return {
    optioVersion: facts.optioVersion,
    engine: {
      kind: engine.kind,
      backend: engine.backend,
      threads: engine.threads ?? null,
      llamaRelease: engine.scorer?.llamaRelease ?? null,
    },
    model: {
      id: engine.model.id,
      sha256: engine.model.sha256 ?? null,
      quantization: engine.model.quantization ?? null,
    },
    profile:
      engine.profile === undefined
        ? null
        : { id: engine.profile.id, version: engine.profile.version, sha256: engine.profile.sha256 },
    templateDate: engine.templateDate ?? null,
    readout:
      readout === undefined
        ? null
        : { kind: readout.kind, orders: readout.orders, prior: readout.prior, length: readout.length },
    confidenceFormula: facts.confidenceFormula,
    calibration: null,
    reuse: {
      allowed: facts.reuse,
      tokens: decision.usage.reusedTokens,
      priors: decision.usage.reusedPriors,
      batchedStates: decision.batchedStates ?? 1,
    },
    upstream: decision.upstream ?? null,
    attempts: [{ engine: engine.kind, destination: engine.destination ?? null, outcome: "answered", reason: null }],
  };
}
