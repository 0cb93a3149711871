import {
  type Answer,
  createDecider,
  type Decider,
  type DecisionTimings,
  type EngineInfo,
  OptioError,
  type Readout,
  type Receipt,
  type Usage,
} from "@optio/core";
import type { EngineChoice, ModelOffer } from "./engine-choice.js";
import { canRun, type Failure, isIdle, isStarting, nextPhase, type Phase, type PhaseEvent } from "./phase.js";
import { type QuestionDraft, readDrafts } from "./question-draft.js";

/** An answered decision, with what was asked. */
export interface Result {
  readonly answers: readonly NamedAnswer[];
  readonly timings: DecisionTimings;
  readonly usage: Usage;
  readonly receipt: Receipt;
  readonly warnings: readonly string[];
  /** What stood in the fields. */
  readonly asked: { readonly state: string; readonly drafts: readonly QuestionDraft[] };
}

export interface NamedAnswer {
  readonly name: string;
  readonly instructions: string;
  readonly answer: Answer;
  readonly readout: Readout | null;
}

/** Confidence from which an answer is accepted, and from which it is worth a person's look. */
export const policy = { accept: 0.8, review: 0.4 } as const;

/** What the page knows and does, apart from showing it. Tells `onChange` after every change. */
export class Session {
  readonly #engines: EngineChoice;
  readonly #onChange: () => void;
  #decider: Decider | undefined;
  #call: AbortController | undefined;
  phase: Phase = { kind: "empty" };
  offers: readonly ModelOffer[] = [];
  modelId: string;
  info: EngineInfo | undefined;
  loadMs: number | undefined;
  result: Result | undefined;
  /** What is wrong with the questions, by draft. */
  problems: ReadonlyMap<number, string> = new Map();

  constructor(engines: EngineChoice, onChange: () => void) {
    this.#engines = engines;
    this.#onChange = onChange;
    this.modelId = engines.firstModel;
  }

  get offer(): ModelOffer | undefined {
    return this.offers.find(({ id }) => id === this.modelId);
  }

  /** Looks at the browser and the models. Downloads nothing. */
  async open(): Promise<void> {
    const failure = this.#engines.unsupported();
    if (failure !== undefined) this.#apply({ type: "unsupported", failure });
    await this.#refreshOffers();
  }

  /** Takes another model; the one that runs is let go. */
  async choose(modelId: string): Promise<void> {
    if (!isIdle(this.phase) || modelId === this.modelId) return;
    this.modelId = modelId;
    this.#apply({ type: "empty" });
    await this.#letGo();
  }

  /** Downloads the model if need be, checks and loads it. */
  async start(): Promise<void> {
    if (!isIdle(this.phase)) return;
    this.#apply({ type: "start" });
    const call = new AbortController();
    this.#call = call;
    await this.#letGo();
    if (call.signal.aborted) return;
    const decider = createDecider({ engine: this.#engines.source(this.modelId), policy });
    this.#decider = decider;
    let loadStarted = performance.now();
    try {
      const info = await decider.ready({
        signal: call.signal,
        onProgress: (progress) => {
          if (progress.phase !== "load") loadStarted = performance.now();
          if (this.#call === call) this.#apply({ type: "progress", progress });
        },
      });
      if (call.signal.aborted) {
        await decider.close();
        return;
      }
      this.info = info;
      this.loadMs = performance.now() - loadStarted;
      this.#apply({ type: "ready" });
    } catch (error) {
      if (!call.signal.aborted) this.#apply({ type: "fail", failure: failureOf(error) });
    }
    await this.#refreshOffers();
  }

  /** Stops the download and keeps what has arrived. */
  pause(): void {
    if (this.phase.kind !== "downloading") return;
    this.#apply({ type: "pause" });
    this.#call?.abort();
  }

  /** Calls off a check or a load; a downloaded model is kept. */
  stop(): void {
    if (!isStarting(this.phase)) return;
    this.#call?.abort();
    this.#apply({ type: "empty" });
  }

  /** Deletes what this browser keeps of the chosen model. */
  async discard(): Promise<void> {
    this.#call?.abort();
    this.#apply({ type: "empty" });
    try {
      await this.#letGo();
      await this.#engines.discard(this.modelId);
    } catch (error) {
      if (this.phase.kind === "empty") this.#apply({ type: "empty", note: failureOf(error).message });
    }
    await this.#refreshOffers();
  }

  async run(state: string, drafts: readonly QuestionDraft[]): Promise<void> {
    if (!canRun(this.phase) || this.#decider === undefined) return;
    const read = readDrafts(drafts);
    this.problems = "problems" in read ? read.problems : new Map();
    if ("problems" in read) {
      this.#onChange();
      return;
    }
    this.#apply({ type: "run" });
    const call = new AbortController();
    this.#call = call;
    try {
      const decision = await this.#decider.decide({
        state,
        questions: Object.fromEntries(read.questions.map(({ name, question }) => [name, question])),
        signal: call.signal,
        onProgress: (progress) => {
          if (this.#call === call) this.#apply({ type: "progress", progress });
        },
      });
      const answers = read.questions.flatMap(({ name, question: { instructions } }) => {
        const answer = decision.answers[name];
        return answer === undefined
          ? []
          : [{ name, instructions, answer: answer as Answer, readout: decision.receipt.readout }];
      });
      this.result = { ...decision, answers, asked: { state, drafts } };
      this.#apply({ type: "ready" });
    } catch (error) {
      if (call.signal.aborted) this.#apply({ type: "ready", note: "Stopped. Nothing was decided." });
      else this.#apply({ type: "fail", failure: failureOf(error) });
    }
  }

  abort(): void {
    if (this.phase.kind === "running") this.#call?.abort();
  }

  async #letGo(): Promise<void> {
    const decider = this.#decider;
    this.#decider = undefined;
    this.info = undefined;
    this.loadMs = undefined;
    await decider?.close();
  }

  async #refreshOffers(): Promise<void> {
    try {
      this.offers = await this.#engines.offers();
    } catch (error) {
      if (this.phase.kind === "empty") this.#apply({ type: "empty", note: failureOf(error).message });
    }
    this.#onChange();
  }

  #apply(event: PhaseEvent): void {
    this.phase = nextPhase(this.phase, event);
    this.#onChange();
  }
}

function failureOf(error: unknown): Failure {
  const { code, message, hint } = OptioError.from(error);
  return { code, message, hint };
}
