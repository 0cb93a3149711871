import { trace } from "@opentelemetry/api";
import { type Answer, type Decision, OptioError, type QuestionsInput, type StateInput } from "@optio/core";
import type { Logger } from "pino";
import type { Metrics } from "./metrics.js";
import type { Models, ServedModel } from "./models.js";

export interface Asked {
  readonly state: StateInput;
  readonly questions: QuestionsInput;
  readonly model?: string | undefined;
}

export interface DecideSettings {
  readonly models: Models;
  readonly metrics: Metrics;
  /** Milliseconds that a request may take, waiting included. */
  readonly timeoutMs: number;
  readonly log: Logger;
  readonly logContent?: boolean;
}

/** What every wire does with what it has read: the model, the decision, the counts. */
export async function decideRequest(
  { state, questions, model }: Asked,
  { models, metrics, timeoutMs, log, logContent = false }: DecideSettings,
  signal: AbortSignal,
): Promise<{ readonly decision: Decision; readonly served: Pick<ServedModel, "info"> }> {
  using served = await models.acquire(model, signal);
  try {
    const decision: Decision = await served.decider.decide({ state, questions, timeoutMs, signal });
    const answers = Object.values(decision.answers as Readonly<Record<string, Answer>>);
    metrics.decision(
      decision.usage,
      decision.timings.queueMs,
      answers.map(({ type }) => type),
    );
    trace.getActiveSpan()?.setAttributes({
      "optio.model": served.info.model.id,
      "optio.engine": served.info.kind,
      "optio.questions": answers.length,
      "optio.tokens.evaluated": decision.usage.evaluatedTokens,
      "optio.tokens.reused": decision.usage.reusedTokens,
    });
    if (logContent) log.info({ state, answers: decision.answers }, "decision");
    return { decision, served: { info: served.info } };
  } catch (error) {
    if (OptioError.isInstance(error, "engine_crashed")) metrics.crash();
    throw error;
  }
}
