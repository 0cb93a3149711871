import { css } from "lit";

/**
 * What all elements share. Every colour is a custom property that the page may set; its default follows the colour scheme that
 * the page has where the element stands, and never sets one.
 */
export const sharedStyles = css`
  :host {
    display: block;
    --_ground: var(--optio-ground, #ffffff);
    --_panel: var(--optio-panel, #f5f7fa);
    --_line: var(--optio-line, #c9d0d9);
    --_ink: var(--optio-ink, #16191d);
    --_soft: var(--optio-soft, #595959);
    --_accept: var(--optio-accept, #0f419c);
    --_review: var(--optio-review, #c94c03);
    --_escalate: var(--optio-escalate, #3b0b11);
    --_bar: var(--optio-bar, #6fa8d6);
    --_bar-top: var(--optio-bar-top, #1f5aa6);
    --_on-accent: var(--optio-on-accent, #ffffff);
    --_problem: var(--optio-problem, #a3160e);
    --_radius: var(--optio-radius, 10px);
  }
  @supports (color: light-dark(#000, #fff)) {
    :host {
      --_ground: var(--optio-ground, light-dark(#ffffff, #121417));
      --_panel: var(--optio-panel, light-dark(#f5f7fa, #1b1f24));
      --_line: var(--optio-line, light-dark(#c9d0d9, #3d444d));
      --_ink: var(--optio-ink, light-dark(#16191d, #e8eaed));
      --_soft: var(--optio-soft, light-dark(#595959, #9aa0a6));
      --_accept: var(--optio-accept, light-dark(#0f419c, #6f9bf0));
      --_review: var(--optio-review, light-dark(#c94c03, #f28317));
      --_escalate: var(--optio-escalate, light-dark(#3b0b11, #eccddb));
      --_bar: var(--optio-bar, light-dark(#6fa8d6, #2f5f93));
      --_bar-top: var(--optio-bar-top, light-dark(#1f5aa6, #5c94ee));
      --_on-accent: var(--optio-on-accent, light-dark(#ffffff, #0b0d10));
      --_problem: var(--optio-problem, light-dark(#a3160e, #ff9a8f));
    }
  }
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  h2,
  h3,
  p,
  ul,
  fieldset,
  legend {
    margin: 0;
    padding: 0;
    border: 0;
  }
  h2 {
    font-size: 1.125rem;
    line-height: 1.3;
  }
  h3 {
    font-size: 1rem;
    line-height: 1.4;
    overflow-wrap: anywhere;
  }
  [hidden] {
    display: none !important;
  }
  .panel {
    background: var(--_panel);
    color: var(--_ink);
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    padding: 1rem;
    display: grid;
    gap: 0.75rem;
    min-width: 0;
  }
  .soft {
    color: var(--_soft);
    font-size: 0.875rem;
  }
  .problem {
    color: var(--_problem);
    font-size: 0.9375rem;
    overflow-wrap: anywhere;
  }
  label {
    display: grid;
    gap: 0.25rem;
    font-size: 0.875rem;
    font-weight: 600;
    min-width: 0;
  }
  input[type="text"],
  input[type="number"],
  textarea,
  select {
    font: inherit;
    font-size: 1rem;
    font-weight: 400;
    color: inherit;
    background: var(--_ground);
    border: 1px solid var(--_line);
    border-radius: 6px;
    padding: 0.5rem 0.625rem;
    min-height: 44px;
    width: 100%;
    min-width: 0;
  }
  textarea {
    resize: vertical;
    line-height: 1.45;
  }
  button {
    font: inherit;
    font-weight: 600;
    color: var(--_ink);
    background: transparent;
    border: 1px solid var(--_line);
    border-radius: 6px;
    padding: 0.5rem 0.875rem;
    min-height: 44px;
    min-width: 44px;
    max-width: 100%;
    overflow-wrap: anywhere;
    cursor: pointer;
  }
  button.main {
    background: var(--_accept);
    border-color: var(--_accept);
    color: var(--_on-accent);
  }
  button:disabled {
    opacity: 0.5;
    cursor: default;
  }
  :focus-visible {
    outline: 3px solid var(--_bar-top);
    outline-offset: 2px;
  }
  summary {
    cursor: pointer;
    font-weight: 600;
    min-height: 44px;
    display: flex;
    align-items: center;
  }
  summary::before {
    content: "▸";
    width: 1.25rem;
    flex: none;
    color: var(--_soft);
  }
  details[open] > summary::before {
    content: "▾";
  }
  summary::-webkit-details-marker {
    display: none;
  }
  .row {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
    align-items: center;
  }
  .announce {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
`;
