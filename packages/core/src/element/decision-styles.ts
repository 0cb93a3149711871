import { css } from "lit";

export const decisionStyles = css`
  :host([hidden]) {
    display: none;
  }
  .base {
    background: var(--_ground);
    font-family: var(--optio-font, inherit);
    line-height: 1.5;
    gap: 1rem;
  }
  .question {
    display: grid;
    gap: 0.75rem;
    padding-top: 0.75rem;
    border-top: 1px solid var(--_line);
    min-width: 0;
  }
  pre {
    margin: 0;
    max-height: 16rem;
    overflow: auto;
    font-size: 0.8125rem;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  details p {
    margin-bottom: 0.5rem;
  }
`;
