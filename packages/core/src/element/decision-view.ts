import { html, nothing, type TemplateResult } from "lit";
import type { DecisionController } from "./decision-controller.js";
import type { NamedAnswer, RunResult } from "./decision-run.js";
import type { Words } from "./words/words.js";

export interface DecisionViewOptions {
  readonly words: Words;
  readonly blind: boolean;
  readonly disabled: boolean;
}

/** What `<optio-decision>` shows: the engine's state, the answers, and what a person can do about them. */
export function decisionView(controller: DecisionController, options: DecisionViewOptions): TemplateResult {
  const { session, phase, problem, result, announced } = controller;
  const { words } = options;
  return html`
    <div class="panel base" part="base" lang=${words.language} aria-busy=${phase.kind === "running"}>
      ${
        session === undefined
          ? nothing
          : html`<optio-phase-panel
              exportparts="panel: status, button, main-button, progress"
              compact
              .phase=${phase}
              .context=${{ offer: session.offer, freeBytes: session.freeBytes, bridge: session.bridge }}
              .words=${words}
              .onAction=${controller.act.bind(controller)}
            ></optio-phase-panel>`
      }
      ${
        problem === undefined
          ? nothing
          : html`<p class="problem" role="alert"><code>${problem.code}</code> ${problem.message}</p>`
      }
      ${result === undefined ? nothing : results(controller, result, options)}
      <p class="announce" role="status">${announced}</p>
    </div>
  `;
}

function results(controller: DecisionController, result: RunResult, options: DecisionViewOptions): TemplateResult {
  const { words } = options;
  const { receipt, warnings } = result.decision;
  const sentTo = receipt.attempts
    .filter(({ outcome }) => outcome !== "skipped")
    .flatMap(({ destination }) => (destination === null ? [] : [destination]));
  return html`
    ${controller.isStale ? html`<p class="soft" data-stale>${words.answers.edited}</p>` : nothing}
    ${result.answers.map((named) => question(controller, named, result, options))}
    <h3 class="done" tabindex="-1" ?hidden=${controller.settled === undefined}>${words.choices.done}</h3>
    <details class="soft" part="details">
      <summary>${words.answers.details}</summary>
      <p data-sent>${sentTo.length === 0 ? words.answers.stayed : words.answers.left([...new Set(sentTo)].join(", "))}</p>
      ${warnings.map((warning) => html`<p>${warning}</p>`)}
      <pre tabindex="0">${JSON.stringify(receipt, undefined, 2)}</pre>
    </details>
  `;
}

function question(
  controller: DecisionController,
  named: NamedAnswer,
  { decision }: RunResult,
  { words, blind, disabled }: DecisionViewOptions,
): TemplateResult {
  const { choices } = controller;
  const { id, question: asked } = named;
  const settlement = choices?.settled(id);
  const hidden = blind && settlement?.by !== "person";
  return html`
    <div class="question" role="group" tabindex="-1" data-choices=${id} aria-label=${asked.instructions}>
      ${
        hidden
          ? html`<h3>${asked.instructions}</h3><p class="soft">${words.choices.hidden}</p>`
          : html`<optio-answer-bars
              exportparts="answer, action, action-accept, action-review, action-escalate, verdict, bar"
              .named=${named}
              .readout=${decision.receipt.readout}
              .action=${controller.actionOf(id)}
              .words=${words}
            ></optio-answer-bars>`
      }
      <optio-choice-controls
        exportparts="button, main-button, choices"
        .named=${named}
        .settlement=${hidden ? undefined : settlement}
        .audit=${choices?.isAudit(id) ?? false}
        .blind=${hidden}
        .disabled=${disabled}
        .canUndo=${choices?.canUndo ?? false}
        .words=${words}
        .onChoose=${(option: string) => controller.choose(id, option)}
        .onUndo=${() => controller.undo()}
      ></optio-choice-controls>
    </div>
  `;
}
