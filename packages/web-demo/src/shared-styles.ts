import { css } from "lit";

/** What all components of the page share: controls, headings, panels. Colours come from `page.css`. */
export const sharedStyles = css`
  :host {
    display: block;
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
  fieldset {
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
    background: var(--panel);
    border: 1px solid var(--line);
    border-radius: 10px;
    padding: 1rem;
    display: grid;
    gap: 0.75rem;
    min-width: 0;
  }
  .soft {
    color: var(--soft);
    font-size: 0.875rem;
  }
  .problem {
    color: var(--problem);
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
  textarea,
  select {
    font: inherit;
    font-size: 1rem;
    font-weight: 400;
    color: inherit;
    background: var(--ground);
    border: 1px solid var(--line);
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
    color: var(--ink);
    background: transparent;
    border: 1px solid var(--line);
    border-radius: 6px;
    padding: 0.5rem 0.875rem;
    min-height: 44px;
    min-width: 44px;
    cursor: pointer;
  }
  button.main {
    background: var(--accept);
    border-color: var(--accept);
    color: var(--on-accent);
  }
  button:disabled {
    opacity: 0.5;
    cursor: default;
  }
  :focus-visible {
    outline: 3px solid var(--bar-top);
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
    color: var(--soft);
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
`;
