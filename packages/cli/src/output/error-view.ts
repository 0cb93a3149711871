import type { OptioError } from "@optio/core";
import { printable } from "./printable.js";
import type { Style } from "./style.js";

/** What was wrong, then what to do. */
export function renderError(error: OptioError, style: Style): string {
  const lines = [`${style.red("error:")} ${printable(error.message)}`, `hint: ${printable(error.hint)}`];
  const cause = error.cause instanceof Error ? error.cause.message : undefined;
  if (cause !== undefined && !error.message.includes(cause)) lines.push(style.dim(`cause: ${printable(cause)}`));
  return `${lines.join("\n")}\n`;
}
