import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import type { DraftType, QuestionDraft } from "./question-draft.js";
import { sharedStyles } from "./shared-styles.js";

const optionsLabel: Readonly<Record<DraftType, string>> = {
  choice: "Options, one a line: name, colon, what it means",
  noul: "When it is yes, and when no: “yes: …”, “no: …”",
  score: "Levels, one a line, lowest first",
};

/** The fields of one question. */
export class QuestionEditor extends LitElement {
  static override properties = {
    draft: { attribute: false },
    problem: { attribute: false },
    removable: { type: Boolean },
  };
  static override styles = [
    sharedStyles,
    css`
      details.panel {
        display: block;
        padding-block: 0;
      }
      .question {
        font-weight: 600;
        overflow-wrap: anywhere;
      }
      .text .soft {
        font-weight: 400;
      }
      .text {
        display: grid;
        padding-block: 0.625rem;
        min-width: 0;
      }
      .fields {
        display: grid;
        gap: 0.75rem;
        padding-bottom: 1rem;
      }
      .head {
        display: grid;
        grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
        gap: 0.5rem;
      }
    `,
  ];

  declare draft: QuestionDraft;
  declare problem: string | undefined;
  declare removable: boolean;
  declare onEdit: (draft: QuestionDraft) => void;
  declare onRemove: () => void;

  override render(): TemplateResult {
    const { draft, problem } = this;
    const lines = Math.max(2, draft.options.split("\n").length);
    // A new question and one with a problem are there to be edited.
    const open = draft.instructions === "" || problem !== undefined;
    return html`
      <details class="panel" ?open=${open || this.#wasOpen} @toggle=${this.#noteOpen}>
        <summary>
          <span class="text">
            <span class="question">${draft.instructions || "New question"}</span>
            <span class="soft">${draft.name} · ${typeLabel[draft.type].toLowerCase()}</span>
          </span>
        </summary>
        <div class="fields" role="group" aria-label=${`Question ${draft.name}`}>
          <label>
            Question
            <input type="text" .value=${draft.instructions} @input=${this.#edit("instructions")} autocomplete="off" />
          </label>
          <div class="head">
            <label>
              Name
              <input type="text" .value=${draft.name} @input=${this.#edit("name")} spellcheck="false" autocomplete="off" />
            </label>
            <label>
              Kind
              <select @change=${this.#edit("type")}>
                ${(["choice", "noul", "score"] as const).map(
                  (type) => html`<option value=${type} ?selected=${type === draft.type}>${typeLabel[type]}</option>`,
                )}
              </select>
            </label>
          </div>
          <label>
            ${optionsLabel[draft.type]}
            <textarea rows=${lines} .value=${draft.options} @input=${this.#edit("options")}></textarea>
          </label>
          ${problem === undefined ? nothing : html`<p class="problem" role="alert">${problem}</p>`}
          ${
            this.removable
              ? html`<div><button type="button" data-action="remove" @click=${() => this.onRemove()}>Remove this question</button></div>`
              : nothing
          }
        </div>
      </details>
    `;
  }

  /** Typing the first letter of a new question must not close its fields. */
  #wasOpen = false;

  readonly #noteOpen = (event: Event): void => {
    this.#wasOpen = (event.target as HTMLDetailsElement).open;
  };

  #edit(field: "name" | "type" | "instructions" | "options"): (event: Event) => void {
    return (event) => {
      const { value } = event.target as HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
      this.onEdit({ ...this.draft, [field]: value });
    };
  }
}

const typeLabel: Readonly<Record<DraftType, string>> = { choice: "One of several", noul: "Yes or no", score: "Level" };

customElements.define("optio-question-editor", QuestionEditor);
