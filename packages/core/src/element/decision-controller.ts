import type { Decision } from "../decide.js";
import { OptioError } from "../errors.js";
import type { QuestionsInput } from "../questions/normalize.js";
import type { Action } from "../questions/question.js";
import { answeredOption } from "../results/result-row.js";
import type { StateInput } from "../state.js";
import { actionFor, type Policy } from "../trust/policy.js";
import { optionLabel } from "./answer-words.js";
import { DecisionRun, type RunResult } from "./decision-run.js";
import { diagnostics } from "./diagnostics.js";
import type { EngineChoice } from "./engine-choice.js";
import { HumanChoices, type Settlement } from "./human-choices.js";
import { failureOf, ModelSession } from "./model-session.js";
import type { Phase } from "./phase.js";
import type { PhaseAction } from "./phase-buttons.js";
import { acquireSession, releaseSession } from "./shared-sessions.js";
import type { Words } from "./words/words.js";

/** What the controller needs of its element. */
export interface DecisionHost {
  isDisabled(): boolean;
  isAuto(): boolean;
  /** Asks for a new look at everything. */
  requestUpdate(): void;
  /** Sends an event out. */
  tell(type: "decision" | "choice" | "undo" | "progress" | "error", detail: unknown): void;
  /** What would be decided now; parts are missing where the page has not said them. */
  input(): { readonly state: StateInput | undefined; readonly questions: QuestionsInput | undefined };
  /** @throws OptioError `invalid_setting` */
  policy(): Policy;
  /** @throws OptioError `invalid_setting` */
  auditShare(): number;
  wordsNow(): Words;
  /** Called when a person has decided a question: `next` waits for them, or nothing does. */
  focusQuestion(next: string | undefined): void;
}

/** The engine, the answers and the choices of one element. */
export class DecisionController {
  readonly #host: DecisionHost;
  #name = "";
  #session: ModelSession | undefined;
  #run: DecisionRun | undefined;
  #unsubscribe: (() => void) | undefined;
  #asked = "";
  #phaseSeen: Phase["kind"] | undefined;
  choices: HumanChoices | undefined;
  /** What is wrong with the input, where that is not the engine's state. */
  problem: OptioError | undefined;
  /** For the live region. */
  announced = "";

  constructor(host: DecisionHost) {
    this.#host = host;
  }

  /**
   * Takes part in the page's session of this name, which is made of `choose` by the first.
   *
   * A choice that cannot be made is told as an error.
   */
  connect(name: string, choose: () => EngineChoice): void {
    this.disconnect();
    try {
      this.#session = acquireSession(name, () => new ModelSession(choose()));
    } catch (error) {
      this.problem = OptioError.from(error);
      this.#host.tell("error", failureOf(error));
      return;
    }
    this.#name = name;
    this.#run = new DecisionRun(this.#session, () => this.#changed());
    this.#unsubscribe = this.#session.subscribe(() => this.#changed());
  }

  disconnect(): void {
    this.#run?.abort();
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    if (this.#session !== undefined) releaseSession(this.#name);
    this.#session = undefined;
    this.#run = undefined;
  }

  get session(): ModelSession | undefined {
    return this.#session;
  }

  get phase(): Phase {
    return this.#run?.phase ?? { kind: "empty" };
  }

  get result(): RunResult | undefined {
    return this.#run?.result;
  }

  get settled(): Readonly<Record<string, Settlement>> | undefined {
    return this.choices?.all;
  }

  /** Whether the text or the questions are others than those that were answered. */
  get isStale(): boolean {
    return this.#inputKey() !== this.#asked;
  }

  /** What the policy in force says of an answer. */
  actionOf(id: string): Action | undefined {
    const answer = this.result?.answers.find((named) => named.id === id)?.answer;
    return answer === undefined ? undefined : actionFor(answer.confidence, this.#host.policy());
  }

  async start(): Promise<void> {
    await this.#session?.start();
  }

  async decide(): Promise<Decision | undefined> {
    try {
      return await this.#decide();
    } catch (error) {
      const failure = OptioError.from(error);
      this.problem = this.phase.kind === "failed" ? undefined : failure;
      this.#host.tell("error", failureOf(failure));
      this.#host.requestUpdate();
      throw failure;
    }
  }

  choose(id: string, option: string): void {
    const { choices } = this;
    const named = this.result?.answers.find((answer) => answer.id === id);
    if (choices === undefined || named === undefined || this.#host.isDisabled()) return;
    choices.choose(id, option);
    const words = this.#host.wordsNow();
    this.announced = words.choices.chosen(optionLabel(named.answer, option, words));
    this.#host.requestUpdate();
    this.#host.tell("choice", { question: id, option, settled: this.settled });
    this.#host.focusQuestion(choices.open[0]);
  }

  /** Chooses what the model answered. */
  acceptAnswer(id: string): void {
    const named = this.result?.answers.find((answer) => answer.id === id);
    if (named !== undefined) this.choose(id, answeredOption(named.answer));
  }

  undo(): void {
    const question = this.choices?.undo();
    if (question === undefined) return;
    this.#host.requestUpdate();
    this.#host.tell("undo", { question });
    this.#host.focusQuestion(question);
  }

  reset(): void {
    this.choices = undefined;
    this.problem = undefined;
    this.#asked = "";
    this.#run?.reset();
    this.#host.requestUpdate();
  }

  act(action: PhaseAction): void {
    const session = this.#session;
    if (session === undefined || this.#host.isDisabled()) return;
    switch (action) {
      case "start":
        void session.start();
        break;
      case "unsaved":
        void session.start({ save: false });
        break;
      case "pause":
        session.pause();
        break;
      case "stop":
        session.stop();
        break;
      case "discard":
        void session.discard();
        break;
      case "bridge":
        session.useBridge();
        break;
      case "run":
        // Told by the event and the panel already.
        this.decide().catch(() => undefined);
        break;
      case "abort":
        this.#run?.abort();
        break;
      case "reload":
        void session.open();
        break;
      case "diagnostics":
        void navigator.clipboard.writeText(diagnostics(session, this.phase, this.result)).then(() => {
          this.announced = this.#host.wordsNow().buttons.diagnosticsCopied;
          this.#host.requestUpdate();
        });
        break;
    }
  }

  /** With `auto`, what is new is decided, and a model that is kept here is loaded: neither downloads anything. */
  followInput(): void {
    const session = this.#session;
    if (!this.#host.isAuto() || session === undefined || this.#host.isDisabled() || this.problem !== undefined) return;
    const { offer, phase } = session;
    if (phase.kind === "empty" && phase.failure === undefined && offer !== undefined) {
      if (offer.storedBytes === offer.bytes) void session.start();
      return;
    }
    const { state, questions } = this.#host.input();
    if (this.#run?.canRun !== true || !this.isStale || state === undefined || questions === undefined) return;
    this.decide().catch(() => undefined);
  }

  async #decide(): Promise<Decision | undefined> {
    const { state, questions } = this.#host.input();
    if (state === undefined) throw new OptioError("invalid_state", "There is no text to decide about.");
    if (questions === undefined) throw new OptioError("invalid_question", "There is no question.");
    const [policy, audit] = [this.#host.policy(), this.#host.auditShare()];
    this.problem = undefined;
    this.#asked = this.#inputKey();
    const result = await this.#run?.run({ state, questions, policy });
    if (result === undefined) return undefined;
    this.choices = new HumanChoices(result, (id) => this.actionOf(id), audit);
    const { actions } = this.#host.wordsNow();
    this.announced = result.answers
      .map(({ id, question }) => `${question.instructions} ${actions[this.actionOf(id) ?? "review"]}.`)
      .join(" ");
    this.#host.requestUpdate();
    this.#host.tell("decision", { decision: result.decision, settled: this.settled });
    return result.decision;
  }

  #changed(): void {
    const { phase } = this;
    this.#host.tell("progress", phase);
    if (phase.kind === "failed" && phase.during === "start" && this.#phaseSeen !== "failed") {
      this.#host.tell("error", phase.failure);
    }
    this.#phaseSeen = phase.kind;
    this.#host.requestUpdate();
  }

  /** Changes whenever what is asked does. */
  #inputKey(): string {
    try {
      return JSON.stringify(this.#host.input());
    } catch {
      return "";
    }
  }
}
