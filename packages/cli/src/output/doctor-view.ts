import type { Check, CheckStatus, Diagnosis } from "../doctor/check.js";
import { padEnd, wrap } from "./display-width.js";
import { printable } from "./printable.js";
import type { Style } from "./style.js";

const titleWidth = 20;

/** One line a check, and for what is not right the reason and what to do. */
export function renderDiagnosis({ checks, engines }: Diagnosis, style: Style): string[] {
  const verdict =
    engines.length === 0
      ? style.red("No engine can decide on this machine yet.")
      : style.green(`Can decide with: ${engines.join(" and ")}.`);
  return [...checks.flatMap((check) => renderCheck(check, style)), "", verdict];
}

function renderCheck({ title, status, found, why, todo }: Check, style: Style): string[] {
  const indent = " ".repeat(titleWidth + 10);
  const room = style.columns - indent.length;
  const [first = "", ...rest] = wrap(printable(found), room);
  const more = [
    ...rest,
    ...(why === undefined ? [] : wrap(printable(why), room)),
    ...(todo === undefined ? [] : wrap(`→ ${printable(todo)}`, room)),
  ];
  return [
    `${statusWord(status, style)}  ${padEnd(title, titleWidth)}${first}`,
    ...more.map((line) => indent + (style.blocks ? line : line.replace("→", "->"))),
  ];
}

function statusWord(status: CheckStatus, style: Style): string {
  const words = { ok: "ok", warning: "warning", no: "no" } as const;
  const paint = { ok: style.green, warning: style.yellow, no: style.red }[status];
  return paint(padEnd(words[status], 8));
}
