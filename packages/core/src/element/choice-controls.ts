import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import { answeredOption } from "../results/result-row.js";
import { optionLabel } from "./answer-words.js";
import type { NamedAnswer } from "./decision-run.js";
import { define } from "./define.js";
import type { Settlement } from "./human-choices.js";
import { sharedStyles } from "./styles.js";
import type { Words } from "./words/words.js";

/** What a person can do about one answer. */
export class ChoiceControls extends LitElement {
  static override properties = {
    named: { attribute: false },
    settlement: { attribute: false },
    audit: { type: Boolean },
    blind: { type: Boolean },
    disabled: { type: Boolean },
    canUndo: { type: Boolean },
    words: { attribute: false },
  };
  static override styles = [
    sharedStyles,
    css`
      .all {
        display: grid;
        gap: 0.5rem;
      }
      .options {
        padding-bottom: 0.5rem;
      }
    `,
  ];

  declare named: NamedAnswer;
  declare settlement: Settlement | undefined;
  /** The answer is in the sample that a person looks at. */
  declare audit: boolean;
  /** The model's answer must not show, not even as the first button. */
  declare blind: boolean;
  declare disabled: boolean;
  declare canUndo: boolean;
  declare words: Words;
  declare onChoose: (option: string) => void;
  declare onUndo: () => void;

  override render(): TemplateResult {
    const { named, settlement, words, blind } = this;
    const { answer } = named;
    const label = (option: string) => optionLabel(answer, option, words);
    if (blind) {
      return html`<div class="all" part="choices"><div class="row options">${this.#options()}</div></div>`;
    }
    if (settlement?.by === "person") {
      return html`
        <div class="row" part="choices">
          <p data-settled="person">${words.choices.chosen(label(settlement.option))}</p>
          ${this.canUndo ? this.#button("undo", words.choices.undo, this.onUndo) : nothing}
        </div>
      `;
    }
    const best = answeredOption(answer);
    return html`
      <div class="all" part="choices">
        ${this.audit ? html`<p class="soft" data-audit>${words.choices.audit}</p>` : nothing}
        ${
          settlement === undefined
            ? html`<div class="row">${this.#button("accept", words.choices.accept(label(best)), () => this.onChoose(best), "main")}</div>`
            : nothing
        }
        <details>
          <summary>${words.choices.other}</summary>
          <div class="row options">${this.#options()}</div>
        </details>
      </div>
    `;
  }

  #options(): readonly TemplateResult[] {
    const { answer } = this.named;
    return answer.distribution.map(({ option }) =>
      this.#button(
        "choose",
        this.words.choices.choose(optionLabel(answer, option, this.words)),
        () => this.onChoose(option),
        "",
        option,
      ),
    );
  }

  #button(action: string, label: string, onClick: () => void, kind = "", option?: string): TemplateResult {
    return html`<button
      type="button"
      class=${kind}
      part=${kind === "main" ? "button main-button" : "button"}
      data-action=${action}
      data-option=${option ?? nothing}
      ?disabled=${this.disabled}
      @click=${onClick}
    >
      ${label}
    </button>`;
  }
}

define("optio-choice-controls", ChoiceControls);
