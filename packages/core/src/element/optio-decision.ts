import { LitElement, type PropertyValues, type TemplateResult } from "lit";
import type { Decision } from "../decide.js";
import type { Engine, EngineSource } from "../engines/engine.js";
import type { QuestionsInput } from "../questions/normalize.js";
import type { StateInput } from "../state.js";
import type { Policy } from "../trust/policy.js";
import "./answer-bars.js";
import "./choice-controls.js";
import { DecisionController } from "./decision-controller.js";
import { decisionStyles } from "./decision-styles.js";
import { decisionView } from "./decision-view.js";
import { define } from "./define.js";
import { elementEngines, ownEngine, ownEngineName } from "./element-engines.js";
import { controlOf, readQuestions, readShare, readState } from "./element-input.js";
import type { Settlement } from "./human-choices.js";
import { commandOf, type KeyMap, readKeys } from "./keys.js";
import type { Phase } from "./phase.js";
import "./phase-panel.js";
import { sharedStyles } from "./styles.js";
import type { Words } from "./words/words.js";
import { wordsFor } from "./words/words-for.js";

/** Milliseconds without typing after which `auto` decides. */
const typingMs = 500;

/**
 * `<optio-decision>`: questions about a text, answered in this page by a small model, with the person who has the last word.
 * Nothing is downloaded before a press of its button. See docs/widget.md for attributes, events, parts and custom properties.
 */
export class OptioDecision extends LitElement {
  static readonly formAssociated = true;
  static override properties = {
    state: {},
    questions: {},
    for: {},
    model: {},
    sources: {},
    bridge: {},
    accept: {},
    review: {},
    audit: {},
    auto: { type: Boolean },
    blind: { type: Boolean },
    required: { type: Boolean },
    disabled: { type: Boolean, reflect: true },
    name: { reflect: true },
    keys: {},
    words: { attribute: false },
    engine: { attribute: false },
  };
  static override styles = [sharedStyles, decisionStyles];

  /** Text, JSON or messages. An attribute is text. */
  declare state: StateInput;
  /** System One JSON as text, or everything that `decide()` takes. */
  declare questions: QuestionsInput | string | null;
  /** Id of a control whose value is the state. */
  declare for: string;
  /** A catalogue id or the address of a GGUF. Default: the catalogue's default model. */
  declare model: string;
  /** Addresses of models, separated by spaces, tried before the catalogue's own. */
  declare sources: string;
  /** Address of a System One server, asked where the model here cannot answer. */
  declare bridge: string;
  /** Confidence from which an answer is accepted, 0 to 1. Default 0.8. */
  declare accept: string | number | null;
  /** Confidence below which an answer is for a specialist, 0 to 1. Default 0.4. */
  declare review: string | number | null;
  /** Share of the accepted answers that a person looks at all the same, 0 to 1. Default 0. */
  declare audit: string | number | null;
  /** Decides by itself whenever text or questions change, and loads a model that is kept here. */
  declare auto: boolean;
  /** The model's answer is hidden until the person has chosen. */
  declare blind: boolean;
  declare required: boolean;
  declare disabled: boolean;
  declare name: string;
  /** `off`, or other keys than the default ones. */
  declare keys: "off" | Partial<KeyMap> | null;
  /** Default: those of the `lang` around the element. */
  declare words: Words | undefined;
  /** An engine of the page's own; `model`, `sources` and `bridge` count for nothing then. */
  declare engine: EngineSource | Engine | undefined;

  readonly #internals = this.attachInternals();
  readonly #controller = new DecisionController({
    requestUpdate: () => this.requestUpdate(),
    wordsNow: () => this.#wordsNow(),
    tell: (type, detail) => void this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true })),
    input: () => ({
      state: readState(this, this.state, this.for),
      questions: readQuestions(this, this.questions),
    }),
    policy: () => this.#policy(),
    auditShare: () => readShare("audit", this.audit, 0),
    focusQuestion: (id) => void this.updateComplete.then(() => this.#focusQuestion(id)),
    isDisabled: () => this.disabled,
    isAuto: () => this.auto,
  });
  #control: HTMLElement | undefined;
  #typing: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.state = "";
    this.questions = null;
    this.for = "";
    this.model = "";
    this.sources = "";
    this.bridge = "";
    this.accept = null;
    this.review = null;
    this.audit = null;
    this.auto = false;
    this.blind = false;
    this.required = false;
    this.disabled = false;
    this.name = "";
    this.keys = null;
    this.addEventListener("keydown", this.#onKey);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) this.#connect();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#typing);
    this.#follow(undefined);
    this.#controller.disconnect();
  }

  override willUpdate(changed: PropertyValues<this>): void {
    const isOther = changed.has("model") || changed.has("sources") || changed.has("bridge") || changed.has("engine");
    if (!this.hasUpdated || isOther) this.#connect();
    else if (changed.has("for")) this.#follow(controlOf(this, this.for));
    this.#setFormValue();
  }

  override updated(): void {
    this.#controller.followInput();
  }

  override render(): TemplateResult {
    const { blind, disabled } = this;
    return decisionView(this.#controller, { words: this.#wordsNow(), blind, disabled });
  }

  /** What is under way. */
  get phase(): Phase {
    return this.#controller.phase;
  }

  /** The last decision. */
  get decision(): Decision | undefined {
    return this.#controller.result?.decision;
  }

  /** What every question has come to; `undefined` while one is open or nothing was decided. */
  get settled(): Readonly<Record<string, Settlement>> | undefined {
    return this.#controller.settled;
  }

  /** What a form is given: the option, or JSON of the options by question where there are several; empty while one is open. */
  get value(): string {
    const options = Object.entries(this.settled ?? {}).map(([id, { option }]) => [id, option] as const);
    return options.length <= 1 ? (options[0]?.[1] ?? "") : JSON.stringify(Object.fromEntries(options));
  }

  get form(): HTMLFormElement | null {
    return this.#internals.form;
  }

  checkValidity(): boolean {
    return this.#internals.checkValidity();
  }

  reportValidity(): boolean {
    return this.#internals.reportValidity();
  }

  /** Downloads the model if need be, and loads it. Resolves when it is ready, or has failed or was stopped: see `phase`. */
  async start(): Promise<void> {
    await this.updateComplete;
    await this.#controller.start();
  }

  /**
   * Decides about what the element holds now. The model must be ready. Resolves with `undefined` when it was stopped.
   *
   * @throws OptioError `invalid_state`, `invalid_question`, `engine_closed` and what the decision failed with, which the event
   *   `error` tells as well
   */
  decide(): Promise<Decision | undefined> {
    return this.#controller.decide();
  }

  /** Takes the last choice of the person back, up to 20 of them. */
  undo(): void {
    this.#controller.undo();
  }

  /** Forgets the answers and the choices. */
  reset(): void {
    this.#controller.reset();
  }

  formResetCallback(): void {
    this.reset();
  }

  formDisabledCallback(disabled: boolean): void {
    this.disabled = disabled;
  }

  #wordsNow(): Words {
    const language = this.closest("[lang]")?.getAttribute("lang") ?? "";
    return this.words ?? wordsFor(language === "" ? "en" : language);
  }

  #policy(): Policy {
    const accept = readShare("accept", this.accept, 0.8);
    return { accept, review: Math.min(accept, readShare("review", this.review, 0.4)) };
  }

  #connect(): void {
    const { engine, model, bridge } = this;
    const sources = this.sources.split(/\s+/).filter((address) => address !== "");
    if (engine === undefined) {
      const name = JSON.stringify([model, sources, bridge]);
      this.#controller.connect(name, () => elementEngines({ model, sources, bridge }));
    } else {
      this.#controller.connect(ownEngineName(engine), () => ownEngine(engine));
    }
    this.#follow(controlOf(this, this.for));
  }

  #follow(control: HTMLElement | undefined): void {
    this.#control?.removeEventListener("input", this.#onInput);
    this.#control = control;
    this.#control?.addEventListener("input", this.#onInput);
  }

  readonly #onInput = (): void => {
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.requestUpdate(), typingMs);
  };

  readonly #onKey = (event: KeyboardEvent): void => {
    const { choices, result } = this.#controller;
    if (this.keys === "off" || choices === undefined) return;
    const command = commandOf(event, readKeys(this.keys ?? {}));
    if (command === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const { activeElement } = this.renderRoot as ShadowRoot;
    const id = activeElement?.closest<HTMLElement>("[data-choices]")?.dataset["choices"] ?? choices.open[0];
    const answer = result?.answers.find((named) => named.id === id)?.answer;
    if (command === "undo") this.undo();
    else if (id === undefined || answer === undefined) return;
    // The first key of a blind choice must not be the model's answer.
    else if (command === "accept" && !this.blind) this.#controller.acceptAnswer(id);
    else if (command !== "accept") {
      const option = answer.distribution[command - 1]?.option;
      if (option !== undefined) this.#controller.choose(id, option);
    }
  };

  /** The question, or the words that nothing waits. */
  #focusQuestion(id: string | undefined): void {
    const group =
      id === undefined ? null : this.renderRoot.querySelector<HTMLElement>(`[data-choices="${CSS.escape(id)}"]`);
    (group ?? this.renderRoot.querySelector<HTMLElement>(".done"))?.focus();
  }

  #setFormValue(): void {
    const isOpen = this.settled === undefined;
    this.#internals.setFormValue(isOpen ? null : this.value);
    if (this.required && !this.disabled && isOpen) {
      this.#internals.setValidity({ valueMissing: true }, this.#wordsNow().choices.missing);
    } else {
      this.#internals.setValidity({});
    }
  }
}

define("optio-decision", OptioDecision);

declare global {
  interface HTMLElementTagNameMap {
    "optio-decision": OptioDecision;
  }
}
