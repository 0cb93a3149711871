import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import "./answer-bars.js";
import "./engine-facts.js";
import "./model-panel.js";
import "./phase-panel.js";
import "./question-editor.js";
import "./receipt-panel.js";
import type { EngineChoice } from "./engine-choice.js";
import { blankQuestion, exampleQuestions, exampleState } from "./example.js";
import { isIdle } from "./phase.js";
import type { PhaseAction } from "./phase-panel.js";
import type { QuestionDraft } from "./question-draft.js";
import { Session } from "./session.js";
import { sharedStyles } from "./shared-styles.js";

/** The page. */
export class App extends LitElement {
  static override properties = {
    engines: { attribute: false },
    state: { state: true },
    drafts: { state: true },
  };
  static override styles = [
    sharedStyles,
    css`
      main {
        max-width: 76rem;
        margin: 0 auto;
        padding: 1.25rem clamp(0.75rem, 3vw, 2rem) 3rem;
        display: grid;
        gap: 1.25rem;
      }
      header {
        display: grid;
        gap: 0.25rem;
      }
      h1 {
        margin: 0;
        font-size: clamp(1.5rem, 5vw, 2rem);
        line-height: 1.2;
      }
      .columns {
        display: grid;
        gap: 1.25rem;
        grid-template-columns: minmax(0, 1fr);
        align-items: start;
      }
      .column {
        display: grid;
        gap: 1rem;
        min-width: 0;
      }
      @media (min-width: 60rem) {
        .columns {
          grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
        }
      }
      textarea.state {
        min-height: 12rem;
      }
    `,
  ];

  declare engines: EngineChoice;
  declare state: string;
  declare drafts: readonly QuestionDraft[];
  #session: Session | undefined;
  #nextKey = exampleQuestions.length + 1;

  constructor() {
    super();
    this.state = exampleState;
    this.drafts = exampleQuestions;
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has("engines")) return;
    this.#session = new Session(this.engines, () => this.requestUpdate());
    void this.#session.open();
  }

  override render(): TemplateResult | typeof nothing {
    const session = this.#session;
    if (session === undefined) return nothing;
    const { phase, info, result } = session;
    return html`
      <main>
        <header>
          <h1>Decide with a small model</h1>
          <p>
            optio reads how probable each of your options is, in one pass through a language model that runs in this tab.
            Nothing is generated, and no text leaves the page.
          </p>
        </header>
        <div class="columns">
          <div class="column">
            <section class="panel">
              <h2>Text</h2>
              <label>
                What the decision is about
                <textarea class="state" rows="9" .value=${this.state} @input=${this.#editState}></textarea>
              </label>
            </section>
            <h2>Questions</h2>
            ${repeat(
              this.drafts,
              ({ key }) => key,
              (draft) => html`
                <optio-question-editor
                  .draft=${draft}
                  .problem=${session.problems.get(draft.key)}
                  .removable=${this.drafts.length > 1}
                  .onEdit=${this.#editDraft}
                  .onRemove=${() => this.#removeDraft(draft.key)}
                ></optio-question-editor>
              `,
            )}
            <div class="row"><button type="button" data-action="add" @click=${this.#addDraft}>Add a question</button></div>
          </div>
          <div class="column">
            <optio-phase-panel .phase=${phase} .offer=${session.offer} .onAction=${this.#act}></optio-phase-panel>
            ${
              result === undefined
                ? nothing
                : html`
                  <h2>Answers</h2>
                  ${
                    result.asked.state === this.state && result.asked.drafts === this.drafts
                      ? nothing
                      : html`<p class="soft">The text or the questions were edited since: these answers are to what stood there before.</p>`
                  }
                  ${result.answers.map((named) => html`<optio-answer-bars .named=${named}></optio-answer-bars>`)}
                `
            }
            <optio-model-panel
              .offers=${session.offers}
              .chosen=${session.modelId}
              .locked=${!isIdle(phase)}
              .onChoose=${(id: string) => session.choose(id)}
            ></optio-model-panel>
            ${
              info === undefined
                ? nothing
                : html`<optio-engine-facts .info=${info} .loadMs=${session.loadMs} .result=${result}></optio-engine-facts>`
            }
            ${result === undefined ? nothing : html`<optio-receipt-panel .result=${result}></optio-receipt-panel>`}
          </div>
        </div>
      </main>
    `;
  }

  readonly #editState = (event: Event): void => {
    this.state = (event.target as HTMLTextAreaElement).value;
  };

  readonly #editDraft = (edited: QuestionDraft): void => {
    this.drafts = this.drafts.map((draft) => (draft.key === edited.key ? edited : draft));
  };

  readonly #addDraft = (): void => {
    this.drafts = [...this.drafts, blankQuestion(this.#nextKey)];
    this.#nextKey += 1;
  };

  #removeDraft(key: number): void {
    this.drafts = this.drafts.filter((draft) => draft.key !== key);
  }

  readonly #act = (action: PhaseAction): void => {
    const session = this.#session;
    if (session === undefined) return;
    switch (action) {
      case "start":
        void session.start();
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
      case "run":
        void session.run(this.state, this.drafts);
        break;
      case "abort":
        session.abort();
        break;
      case "reload":
        location.reload();
        break;
    }
  };
}

customElements.define("optio-app", App);
