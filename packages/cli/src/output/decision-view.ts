import {
  type Action,
  type Answer,
  type DecisionTimings,
  type EngineInfo,
  isLowLabelMass,
  type Readout,
  type Usage,
} from "@optio/core";
import { actionWords, answerWords, optionWords, winningOption } from "./answer-words.js";
import { renderBars } from "./bars.js";
import { displayWidth, wrap } from "./display-width.js";
import { formatDuration } from "./duration.js";
import { printable } from "./printable.js";
import type { Paint, Style } from "./style.js";
import { wholePercent } from "./whole-percent.js";

export interface AnsweredQuestion {
  readonly id: string;
  readonly instructions: string;
  readonly answer: Answer;
  readonly readout: Readout | null;
}

/** One question: what was asked, the answer in words, a bar an option, how sure, and what to do. */
export function renderAnswer({ id, instructions, answer, readout }: AnsweredQuestion, style: Style): string[] {
  const wins = winningOption(answer);
  const bars = answer.distribution.map(({ option, probability }) => ({
    label: optionWords(answer, option),
    probability,
    wins: option === wins,
  }));
  const [first = "", ...rest] = wrap(`${printable(id)}: ${printable(instructions)}`, style.columns);
  const lines = [style.dim(first), ...rest.map(style.dim), headline(answer, style), ...renderBars(bars, style)];
  lines.push(`  confidence ${wholePercent(answer.confidence)}`);
  if (isLowLabelMass(answer.labelMass, readout)) {
    lines.push(`  ${style.yellow("the model did not really answer: take this as a guess")}`);
  }
  return lines;
}

function headline(answer: Answer, style: Style): string {
  const words = printable(answerWords(answer));
  if (answer.action === undefined) return style.bold(words);
  const paint = actionPaint(answer.action, style);
  return `${paint(`${mark(answer.action, style)} ${actionWords[answer.action]}`)}: ${style.bold(words)}`;
}

function actionPaint(action: Action, style: Style): Paint {
  return { accept: style.green, review: style.yellow, escalate: style.red }[action];
}

function mark(action: Action, style: Style): string {
  return style.blocks
    ? { accept: "●", review: "▲", escalate: "■" }[action]
    : { accept: "*", review: "!", escalate: "#" }[action];
}

/** Time, engine, model, tokens. */
export function renderFooter(
  facts: {
    readonly timings: DecisionTimings;
    readonly usage: Usage;
    readonly engine: EngineInfo;
    readonly formula?: string;
  },
  style: Style,
): string {
  const { timings, usage, engine, formula } = facts;
  const threads = engine.threads === undefined ? "" : `, ${engine.threads} thread${engine.threads === 1 ? "" : "s"}`;
  const quantization = engine.model.quantization === undefined ? "" : ` ${engine.model.quantization}`;
  const reused = usage.reusedTokens > 0 ? ` (${usage.reusedTokens} reused)` : "";
  const parts = [
    formatDuration(timings.totalMs),
    `${engine.kind} ${engine.backend}${threads}`,
    `${engine.model.id}${quantization}`,
    `${usage.inputTokens} tokens${reused}`,
    ...(formula === undefined ? [] : [`confidence by ${formula}`]),
  ];
  return joinParts(parts.map(printable), style.blocks ? " · " : ", ", style.columns)
    .map(style.dim)
    .join("\n");
}

/** Lines that break between parts, not inside them, where that is possible. */
function joinParts(parts: readonly string[], separator: string, columns: number): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    const joined = last === undefined ? part : `${last}${separator}${part}`;
    if (last !== undefined && displayWidth(joined) <= columns) lines[lines.length - 1] = joined;
    else lines.push(part);
  }
  return lines.flatMap((line) => wrap(line, columns));
}
