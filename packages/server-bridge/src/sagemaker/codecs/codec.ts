import type { DecisionRequest, EngineInfo, RawAnswer, RawDecision } from "@optio/core/engines";

/** Sends a body to the endpoint and gives the text that came back. Bodies that are sent at the same time may arrive in any order. */
export type Send = (body: string) => Promise<string>;

/** How an endpoint wants decisions written. */
export interface Codec {
  /** Most bytes that its container takes in one body. */
  readonly maxBodyBytes: number;
  /**
   * Asks all questions about a state.
   *
   * @throws OptioError what cannot be asked this way; `invalid_distribution` for what does not answer the questions
   */
  decide(request: DecisionRequest, info: EngineInfo, send: Send): Promise<RawDecision>;
}

export type CodecName = "chat" | "semif" | "systemone";

/** Most bytes of a body that SageMaker itself takes. */
export const sageMakerBodyBytes = 6_291_456;

/** One pass in the author's order with probabilities that the other side made. */
export function ownPass(probabilities: readonly number[], labelMass?: number): RawAnswer {
  const order = probabilities.map((_, index) => index);
  const mass = labelMass === undefined ? {} : { labelMass };
  return { passes: [{ order, state: "actual", reading: { kind: "probabilities", probabilities, ...mass } }] };
}

/** Timings of a container that tells none. */
export const noTimings = { prefillMs: 0, questionsMs: 0, priorMs: 0 } as const;
