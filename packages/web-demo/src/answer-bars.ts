import { css, html, LitElement, nothing, svg, type TemplateResult } from "lit";
import { cautions, headline, optionLabel } from "./answer-words.js";
import type { NamedAnswer } from "./session.js";
import { sharedStyles } from "./shared-styles.js";
import { actionShapes, actionWords, percent } from "./words.js";

/** One answer: what it is, how sure, and the probability of every option in the author's order. */
export class AnswerBars extends LitElement {
  static override properties = { named: { attribute: false } };
  static override styles = [
    sharedStyles,
    css`
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
        color: var(--accept);
      }
      .review {
        color: var(--review);
      }
      .escalate {
        color: var(--escalate);
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
      .track {
        fill: var(--line);
        opacity: 0.45;
      }
      .fill {
        fill: var(--bar);
      }
      .top + .share + svg .fill {
        fill: var(--bar-top);
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

  override render(): TemplateResult {
    const { name, instructions, answer, readout } = this.named;
    const best = answer.distribution.reduce((a, b) => (b.probability > a.probability ? b : a));
    return html`
      <section class="panel" aria-labelledby="question" data-question=${name}>
        <h3 id="question">${instructions}</h3>
        <div>
          <p class="verdict">${headline(answer)}</p>
          <p class="row">
            ${
              answer.action === undefined
                ? nothing
                : html`<span class="action ${answer.action}"><span aria-hidden="true">${actionShapes[answer.action]}</span> ${actionWords[answer.action]}</span>`
            }
            <span class="soft">Confidence ${percent(answer.confidence)}</span>
          </p>
        </div>
        ${cautions(answer, readout).map((caution) => html`<p class="problem">${caution}</p>`)}
        <ul>
          ${answer.distribution.map(({ option, probability }) => bar(optionLabel(answer, option), probability, option === best.option))}
        </ul>
      </section>
    `;
  }
}

function bar(label: string, probability: number, top: boolean): TemplateResult {
  const share = percent(probability);
  // An SVG, because the page's policy allows no style attributes.
  const width = `${(probability * 100).toFixed(2)}%`;
  return html`
    <li>
      <span class="option ${top ? "top" : ""}">${label}</span>
      <span class="share">${share}</span>
      <svg role="meter" aria-label=${label} aria-valuemin="0" aria-valuemax="100" aria-valuenow=${Math.round(probability * 100)} aria-valuetext=${share}>
        ${svg`<rect class="track" width="100%" height="12" rx="3"></rect><rect class="fill" width=${width} height="12" rx="3"></rect>`}
      </svg>
    </li>
  `;
}

customElements.define("optio-answer-bars", AnswerBars);
