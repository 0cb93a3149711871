import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import type { ModelOffer } from "./engine-choice.js";
import type { Phase } from "./phase.js";
import { announcement, phaseWords } from "./phase-words.js";
import { sharedStyles } from "./shared-styles.js";
import { bytes } from "./words.js";

/** What the buttons of the panel ask for. */
export type PhaseAction = "start" | "pause" | "stop" | "discard" | "run" | "abort" | "reload";

/** The page's state in words, with its one main action. */
export class PhasePanel extends LitElement {
  static override properties = { phase: { attribute: false }, offer: { attribute: false } };
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
        background: var(--line);
        accent-color: var(--bar-top);
      }
      progress::-webkit-progress-bar {
        background: var(--line);
      }
      progress::-webkit-progress-value {
        background: var(--bar-top);
      }
      progress::-moz-progress-bar {
        background: var(--bar-top);
      }
      code {
        font-size: 0.8125rem;
        color: var(--soft);
      }
      .announce {
        position: absolute;
        width: 1px;
        height: 1px;
        overflow: hidden;
        clip-path: inset(50%);
        white-space: nowrap;
      }
    `,
  ];

  declare phase: Phase;
  declare offer: ModelOffer | undefined;
  declare onAction: (action: PhaseAction) => void;

  override render(): TemplateResult {
    const { title, cause, progress } = phaseWords(this.phase, this.offer);
    const bad = this.phase.kind === "failed" || this.phase.kind === "unsupported";
    return html`
      <section class="panel" aria-labelledby="title" data-phase=${this.phase.kind}>
        <div class="title">
          <h2 id="title">${title}</h2>
          ${bad && "failure" in this.phase ? html`<code>${this.phase.failure.code}</code>` : nothing}
        </div>
        <p class=${bad ? "problem" : ""}>${cause}</p>
        ${progress === undefined ? nothing : progressBar(title, progress)}
        <div class="row">${this.#buttons()}</div>
        <p class="announce" role="status">${announcement(this.phase, this.offer)}</p>
      </section>
    `;
  }

  /** Always the same two elements, so that whoever pressed one with a key keeps the focus when the phase changes. */
  #buttons(): TemplateResult {
    const [main, second] = buttonsOf(this.phase, this.offer);
    return html`
      <button
        type="button"
        class="main"
        data-action=${main.action}
        ?disabled=${main.disabled === true}
        @click=${() => this.onAction(main.action)}
      >
        ${main.label}
      </button>
      <button
        type="button"
        data-action=${second?.action ?? nothing}
        ?hidden=${second === undefined}
        @click=${() => second && this.onAction(second.action)}
      >
        ${second?.label}
      </button>
    `;
  }
}

interface PhaseButton {
  readonly action: PhaseAction;
  readonly label: string;
  readonly disabled?: boolean;
}

/** The main button of a phase and, where something can be lost, a second one apart from it. */
function buttonsOf(phase: Phase, offer: ModelOffer | undefined): readonly [PhaseButton, PhaseButton?] {
  const cancel: PhaseButton = { action: "discard", label: "Cancel and delete what arrived" };
  switch (phase.kind) {
    case "unsupported":
      return [{ action: "reload", label: "Check again" }];
    case "empty": {
      const start: PhaseButton = {
        action: "start",
        label: startWords(offer),
        disabled: offer === undefined || !canStart(offer),
      };
      if (offer === undefined || offer.storedBytes === 0) return [start];
      return [start, { action: "discard", label: `Delete the ${bytes(offer.storedBytes)} kept here` }];
    }
    case "downloading":
      return [{ action: "pause", label: "Pause" }, cancel];
    case "paused":
      return [{ action: "start", label: "Continue" }, cancel];
    case "verifying":
    case "loading":
      return [{ action: "stop", label: "Stop" }];
    case "ready":
      return [{ action: "run", label: "Decide" }];
    case "running":
      return [{ action: "abort", label: "Stop deciding" }];
    case "failed":
      return [{ action: phase.during === "start" ? "start" : "run", label: "Try again" }];
  }
}

function canStart(offer: ModelOffer): boolean {
  return offer.served || offer.storedBytes === offer.bytes;
}

function startWords(offer: ModelOffer | undefined): string {
  if (offer === undefined) return "Start";
  if (offer.storedBytes === offer.bytes) return "Load the model";
  if (offer.storedBytes > 0) return `Continue: ${bytes(offer.bytes - offer.storedBytes)} left`;
  return `Download ${bytes(offer.bytes)} and load`;
}

function progressBar(label: string, progress: number | "unknown"): TemplateResult {
  return progress === "unknown"
    ? html`<progress aria-label=${label}></progress>`
    : html`<progress aria-label=${label} max="1" .value=${progress}></progress>`;
}

customElements.define("optio-phase-panel", PhasePanel);
