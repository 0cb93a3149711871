import type { Decision } from "../decide.js";
import { OptioError } from "../errors.js";
import { normalizeQuestions, type QuestionsInput } from "../questions/normalize.js";
import type { Answer, NamedQuestion } from "../questions/question.js";
import type { StateInput } from "../state.js";
import type { DecisionPolicy } from "../trust/policy.js";
import { failureOf, type ModelSession } from "./model-session.js";
import type { Phase } from "./phase.js";

export interface RunRequest {
  readonly state: StateInput;
  readonly questions: QuestionsInput;
  readonly policy?: DecisionPolicy;
}

/** An answered decision, with what was asked. */
export interface RunResult {
  readonly decision: Decision;
  readonly answers: readonly NamedAnswer[];
  readonly asked: RunRequest;
}

/** One question of a decision with its answer. */
export interface NamedAnswer extends NamedQuestion {
  readonly answer: Answer;
}

/** One user's decisions with a session that others may share: what is under way, and the last result. */
export class DecisionRun {
  readonly #session: ModelSession;
  readonly #onChange: () => void;
  #call: AbortController | undefined;
  #state: Phase | undefined;
  result: RunResult | undefined;

  constructor(session: ModelSession, onChange: () => void) {
    this.#session = session;
    this.#onChange = onChange;
  }

  /** What this user sees: the run's own state where it has one, else the session's. */
  get phase(): Phase {
    const { phase } = this.#session;
    return phase.kind === "ready" && this.#state !== undefined ? { ...phase, ...this.#state } : phase;
  }

  /** Whether a decision can be asked for now. */
  get canRun(): boolean {
    return this.#session.phase.kind === "ready" && this.#state?.kind !== "running";
  }

  /**
   * Decides, and keeps the result. An earlier result stays where this fails or is stopped.
   *
   * @returns the result; `undefined` when it was stopped
   * @throws OptioError what the decision failed with, after it has been noted for `phase`
   */
  async run(request: RunRequest): Promise<RunResult | undefined> {
    const { decider } = this.#session;
    if (!this.canRun || decider === undefined) {
      throw new OptioError("engine_closed", "No engine is ready to decide.", { hint: "Start the model first." });
    }
    const call = new AbortController();
    this.#call = call;
    this.#change({ kind: "running", ahead: 0, evaluated: 0, total: 0 });
    try {
      const questions = normalizeQuestions(request.questions);
      const decision = await decider.decide({
        ...request,
        signal: call.signal,
        onProgress: (progress) => {
          if (this.#call !== call || this.#state?.kind !== "running") return;
          if (progress.phase === "queue") this.#change({ ...this.#state, ahead: progress.ahead });
          if (progress.phase !== "evaluate") return;
          const { evaluatedTokens: evaluated, totalTokens: total } = progress;
          this.#change({ kind: "running", ahead: 0, evaluated, total });
        },
      });
      const given = decision.answers as Readonly<Record<string, Answer>>;
      const answers = questions.flatMap(({ id, question }) => {
        const answer = given[id];
        return answer === undefined ? [] : [{ id, question, answer }];
      });
      this.result = { decision, answers, asked: request };
      this.#change(undefined);
      return this.result;
    } catch (error) {
      if (call.signal.aborted) {
        this.#change({ kind: "ready", stopped: true });
        return undefined;
      }
      this.#change({ kind: "failed", during: "run", failure: failureOf(error) });
      throw error;
    }
  }

  abort(): void {
    if (this.#state?.kind === "running") this.#call?.abort();
  }

  /** Forgets the result and how the last run ended. */
  reset(): void {
    this.abort();
    this.result = undefined;
    this.#change(undefined);
  }

  #change(state: Phase | undefined): void {
    this.#state = state;
    this.#onChange();
  }
}
