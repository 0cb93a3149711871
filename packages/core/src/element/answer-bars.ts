import { css, html, LitElement, nothing, svg, type TemplateResult } from "lit";
import type { Readout } from "../engines/engine.js";
import type { Action } from "../questions/question.js";
import { cautions, headline, optionLabel } from "./answer-words.js";
import type { NamedAnswer } from "./decision-run.js";
import { define } from "./define.js";
import { formatsFor } from "./formats.js";
import { sharedStyles } from "./styles.js";
import type { Words } from "./words/words.js";

/** Shape beside the colour, so that colour is never the only sign. */
export const actionShapes: Readonly<Record<Action, string>> = { accept: "●", review: "▲", escalate: "■" };

/** One answer: what to do with it, how sure it is, and the probability of every option in the author's order. */
export class AnswerBars extends LitElement {
  static override properties = {
    named: { attribute: false },
    readout: { attribute: false },
    action: { attribute: false },
    words: { attribute: false },
  };
  static override styles = [
    sharedStyles,
    css`
      .panel {
        border: 0;
        padding: 0;
        background: none;
      }
      .verdict {
        font-size: 1.25rem;
        font-weight: 700;
        line-height: 1.3;
        overflow-wrap: anywhere;
      }
      .action {
        font-weight: 600;
      }
      .accept {
        color: var(--_accept);
      }
      .review {
        color: var(--_review);
      }
      .escalate {
        color: var(--_escalate);
      }
      ul {
        list-style: none;
        display: grid;
        gap: 0.5rem;
      }
      li {
        display: grid;
        grid-template-columns: minmax(0, 1fr) auto;
        gap: 0.125rem 0.75rem;
      }
      .option {
        overflow-wrap: anywhere;
      }
      .top {
        font-weight: 700;
      }
      .share {
        font-variant-numeric: tabular-nums;
        white-space: nowrap;
      }
      svg {
        grid-column: 1 / -1;
        display: block;
        width: 100%;
        height: 12px;
      }
      :host(:dir(rtl)) svg {
        transform: scaleX(-1);
      }
      .track {
        fill: var(--_line);
        opacity: 0.45;
      }
      .fill {
        fill: var(--_bar);
      }
      .top + .share + svg .fill {
        fill: var(--_bar-top);
      }
      @media (forced-colors: active) {
        .track {
          fill: Canvas;
          stroke: CanvasText;
        }
        .fill {
          fill: CanvasText;
        }
      }
    `,
  ];

  declare named: NamedAnswer;
  declare readout: Readout | null;
  /** What to do with the answer, where that is not what stands in it. */
  declare action: Action | undefined;
  declare words: Words;

  override render(): TemplateResult {
    const { named, words, readout } = this;
    const { answer, id, question } = named;
    const action = this.action ?? answer.action;
    const { percent } = formatsFor(words.language);
    const best = answer.distribution.reduce((a, b) => (b.probability > a.probability ? b : a));
    return html`
      <section class="panel" part="answer" aria-labelledby="question" data-question=${id} lang=${words.language}>
        <h3 id="question">${question.instructions}</h3>
        <div>
          <p class="row">
            ${
              action === undefined
                ? nothing
                : html`<span class="action ${action}" data-lane=${action} part="action action-${action}"
                    ><span aria-hidden="true">${actionShapes[action]}</span> ${words.actions[action]}</span
                  >`
            }
            <span class="soft">${words.answers.confidence(percent(answer.confidence))}</span>
          </p>
          <p class="verdict" part="verdict">${headline(answer, words)}</p>
        </div>
        ${cautions(answer, readout ?? null, words).map((caution) => html`<p class="problem">${caution}</p>`)}
        <ul>
          ${answer.distribution.map(({ option, probability }) => bar(optionLabel(answer, option, words), probability, percent(probability), option === best.option))}
        </ul>
      </section>
    `;
  }
}

function bar(label: string, probability: number, share: string, top: boolean): TemplateResult {
  // An SVG, because a strict policy allows no style attributes.
  const width = `${(probability * 100).toFixed(2)}%`;
  return html`
    <li>
      <span class="option ${top ? "top" : ""}">${label}</span>
      <span class="share">${share}</span>
      <svg role="meter" part="bar" aria-label=${label} aria-valuemin="0" aria-valuemax="100" aria-valuenow=${Math.round(probability * 100)} aria-valuetext=${share}>
        ${svg`<rect class="track" width="100%" height="12" rx="3"></rect><rect class="fill" width=${width} height="12" rx="3"></rect>`}
      </svg>
    </li>
  `;
}

define("optio-answer-bars", AnswerBars);
