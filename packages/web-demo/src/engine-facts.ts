import type { EngineInfo } from "@optio/core";
import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import type { Result } from "./session.js";
import { sharedStyles } from "./shared-styles.js";
import { duration } from "./words.js";

/** The engine in use, and the times of the last decision. */
export class EngineFacts extends LitElement {
  static override properties = {
    info: { attribute: false },
    loadMs: { attribute: false },
    result: { attribute: false },
  };
  static override styles = [
    sharedStyles,
    css`
      dl {
        margin: 0;
        display: grid;
        grid-template-columns: minmax(0, auto) minmax(0, 1fr);
        gap: 0.25rem 1rem;
        font-size: 0.9375rem;
      }
      dt {
        color: var(--soft);
      }
      dd {
        margin: 0;
        overflow-wrap: anywhere;
      }
    `,
  ];

  declare info: EngineInfo;
  declare loadMs: number | undefined;
  declare result: Result | undefined;

  override render(): TemplateResult {
    const { info, loadMs, result } = this;
    const { model, profile, threads } = info;
    return html`
      <section class="panel" aria-labelledby="title">
        <h2 id="title">Engine in use</h2>
        <dl>
          ${fact("Engine", `${info.kind}, ${info.backend}${threads === undefined ? "" : `, ${threads} thread${threads === 1 ? "" : "s"}`}`, "engine")}
          ${fact("Model", `${model.id}${model.quantization === undefined ? "" : ` (${model.quantization})`}`, "model")}
          ${profile === undefined ? nothing : fact("Prompt profile", `${profile.id}, version ${profile.version}`, "profile")}
          ${loadMs === undefined ? nothing : fact("Loaded in", duration(loadMs), "load")}
          ${
            result === undefined
              ? nothing
              : html`
                ${fact("Text read in", duration(result.timings.prefillMs), "prefill")}
                ${fact("Questions in", duration(result.timings.questionsMs), "questions")}
                ${result.timings.priorMs > 0 ? fact("Same without the text in", duration(result.timings.priorMs), "prior") : nothing}
                ${fact("In all", duration(result.timings.totalMs), "total")}
              `
          }
        </dl>
      </section>
    `;
  }
}

function fact(name: string, value: string, key: string): TemplateResult {
  return html`<dt>${name}</dt><dd data-fact=${key}>${value}</dd>`;
}

customElements.define("optio-engine-facts", EngineFacts);
