import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import { define } from "./define.js";
import type { Phase } from "./phase.js";
import { type ButtonContext, type PhaseAction, type PhaseButton, phaseButtons } from "./phase-buttons.js";
import { announcement, phaseText } from "./phase-words.js";
import { sharedStyles } from "./styles.js";
import type { Words } from "./words/words.js";

/** The state of an engine in words, with its one main action. */
export class PhasePanel extends LitElement {
  static override properties = {
    phase: { attribute: false },
    context: { attribute: false },
    words: { attribute: false },
    compact: { type: Boolean },
  };
  static override styles = [
    sharedStyles,
    css`
      .title {
        display: flex;
        gap: 0.5rem;
        align-items: baseline;
        flex-wrap: wrap;
      }
      p {
        overflow-wrap: anywhere;
      }
      progress {
        width: 100%;
        height: 10px;
        appearance: none;
        border: 0;
        border-radius: 5px;
        overflow: hidden;
        background: var(--_line);
        accent-color: var(--_bar-top);
      }
      progress::-webkit-progress-bar {
        background: var(--_line);
      }
      progress::-webkit-progress-value {
        background: var(--_bar-top);
      }
      progress::-moz-progress-bar {
        background: var(--_bar-top);
      }
      code {
        font-size: 0.8125rem;
        color: var(--_soft);
      }
    `,
  ];

  declare phase: Phase;
  declare context: ButtonContext;
  declare words: Words;
  /** Without the words of a state that needs none. */
  declare compact: boolean;
  declare onAction: (action: PhaseAction) => void;

  override render(): TemplateResult {
    const { phase, context, words } = this;
    const { title, cause, progress } = phaseText(phase, context, words);
    const failure = "failure" in phase ? phase.failure : undefined;
    const quiet = this.compact && phase.kind === "ready" && phase.destination === undefined && !phase.stopped;
    return html`
      <section class="panel" part="panel" aria-labelledby="title" data-phase=${phase.kind} lang=${words.language}>
        <div class="title" ?hidden=${quiet}>
          <h2 id="title">${title}</h2>
          ${failure === undefined ? nothing : html`<code>${failure.code}</code>`}
        </div>
        <p class=${failure === undefined ? "" : "problem"} ?hidden=${quiet}>${cause}</p>
        ${progress === undefined ? nothing : progressBar(title, progress)}
        <div class="row">${this.#buttons()}</div>
        <p class="announce" role="status">${announcement(phase, context, words)}</p>
      </section>
    `;
  }

  /** The main button is always the same element, so that whoever pressed it with a key keeps the focus when the phase changes. */
  #buttons(): TemplateResult {
    const [main, ...others] = phaseButtons(this.phase, this.context, this.words);
    return html`${this.#button(main, "main")}${others.map((button) => this.#button(button, ""))}`;
  }

  #button({ action, label, disabled = false }: PhaseButton, kind: string): TemplateResult {
    return html`
      <button
        type="button"
        class=${kind}
        part=${kind === "main" ? "button main-button" : "button"}
        data-action=${action}
        ?disabled=${disabled}
        @click=${() => this.onAction(action)}
      >
        ${label}
      </button>
    `;
  }
}

function progressBar(label: string, progress: number | "unknown"): TemplateResult {
  return progress === "unknown"
    ? html`<progress part="progress" aria-label=${label}></progress>`
    : html`<progress part="progress" aria-label=${label} max="1" .value=${progress}></progress>`;
}

define("optio-phase-panel", PhasePanel);
