import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import type { Result } from "./session.js";
import { sharedStyles } from "./shared-styles.js";

/** What makes the decision repeatable, as JSON. */
export class ReceiptPanel extends LitElement {
  static override properties = { result: { attribute: false } };
  static override styles = [
    sharedStyles,
    css`
      pre {
        margin: 0;
        font-size: 0.8125rem;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
    `,
  ];

  declare result: Result;

  override render(): TemplateResult {
    const { receipt, usage, timings, warnings } = this.result;
    return html`
      <div class="panel">
        ${warnings.length === 0 ? nothing : html`<ul>${warnings.map((warning) => html`<li class="problem">${warning}</li>`)}</ul>`}
        <details>
          <summary>Receipt: what makes this repeatable</summary>
          <pre tabindex="0">${JSON.stringify({ receipt, usage, timings }, undefined, 2)}</pre>
        </details>
      </div>
    `;
  }
}

customElements.define("optio-receipt-panel", ReceiptPanel);
