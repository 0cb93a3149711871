import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import type { ModelOffer } from "./engine-choice.js";
import { sharedStyles } from "./shared-styles.js";
import { bytes } from "./words.js";

/** The models to choose from. */
export class ModelPanel extends LitElement {
  static override properties = {
    offers: { attribute: false },
    chosen: { attribute: false },
    locked: { type: Boolean },
  };
  static override styles = [
    sharedStyles,
    css`
      fieldset {
        display: grid;
        gap: 0.5rem;
        min-width: 0;
      }
      legend {
        font-size: 1.125rem;
        font-weight: 700;
        padding: 0;
        margin-bottom: 0.5rem;
      }
      label {
        grid-template-columns: auto 1fr;
        gap: 0.125rem 0.625rem;
        align-items: start;
        padding: 0.625rem;
        border: 1px solid var(--line);
        border-radius: 8px;
        background: var(--ground);
        cursor: pointer;
      }
      label:has(input:checked) {
        border-color: var(--bar-top);
        box-shadow: inset 0 0 0 1px var(--bar-top);
      }
      label:has(input:focus-visible) {
        outline: 3px solid var(--bar-top);
        outline-offset: 2px;
      }
      input {
        width: 20px;
        height: 20px;
        margin: 0.125rem 0 0;
        accent-color: var(--bar-top);
        outline: none;
      }
      .name {
        overflow-wrap: anywhere;
        font-size: 1rem;
      }
      .facts {
        grid-column: 2;
        font-weight: 400;
      }
    `,
  ];

  declare offers: readonly ModelOffer[];
  declare chosen: string;
  declare locked: boolean;
  declare onChoose: (modelId: string) => void;

  override render(): TemplateResult {
    return html`
      <div class="panel">
        <fieldset ?disabled=${this.locked}>
          <legend>Model</legend>
          ${this.offers.map((offer) => this.#offer(offer))}
          ${this.offers.length === 0 ? html`<p class="soft">Looking for models.</p>` : nothing}
        </fieldset>
      </div>
    `;
  }

  #offer(offer: ModelOffer): TemplateResult {
    return html`
      <label>
        <input
          type="radio"
          name="model"
          value=${offer.id}
          .checked=${offer.id === this.chosen}
          @change=${() => this.onChoose(offer.id)}
        />
        <span class="name">${offer.title}</span>
        <span class="facts soft">${bytes(offer.bytes)} · ${offer.licence}${place(offer)}</span>
        ${offer.quality === undefined ? nothing : html`<span class="facts soft">${offer.quality}</span>`}
      </label>
    `;
  }
}

function place(offer: ModelOffer): string {
  if (offer.storedBytes === offer.bytes) return " · kept in this browser";
  if (offer.storedBytes > 0) return ` · ${bytes(offer.storedBytes)} of it here`;
  return offer.served ? "" : " · not on this server";
}

customElements.define("optio-model-panel", ModelPanel);
