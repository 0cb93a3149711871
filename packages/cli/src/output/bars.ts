import { displayWidth, padEnd, padStart, wrap } from "./display-width.js";
import { printable } from "./printable.js";
import type { Style } from "./style.js";
import { wholePercent } from "./whole-percent.js";

export interface Bar {
  readonly label: string;
  /** 0 to 1. */
  readonly probability: number;
  /** The answer; marked by shape as well as by weight. */
  readonly wins: boolean;
}

const percentWidth = "> 99 %".length;
const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;

/** One bar an option, in the given order; long labels wrap. Each line fits `style.columns`. */
export function renderBars(bars: readonly Bar[], style: Style, indent = 2): string[] {
  const labels = bars.map((bar) => printable(bar.label));
  const room = style.columns - indent - 2 - percentWidth - 4;
  const labelWidth = Math.min(Math.max(...labels.map(displayWidth)), Math.floor(room / 2));
  const barWidth = Math.min(40, room - labelWidth);

  return bars.flatMap((bar, index) => {
    const [first = "", ...rest] = wrap(labels[index] ?? "", labelWidth);
    const mark = bar.wins ? (style.blocks ? "▶ " : "> ") : "  ";
    const drawn = padEnd(drawBar(bar.probability, barWidth, style.blocks), barWidth);
    const line = `${mark}${padEnd(first, labelWidth)}  ${drawn}  ${padStart(wholePercent(bar.probability), percentWidth)}`;
    const lead = " ".repeat(indent);
    return [
      lead + (bar.wins ? style.bold(line) : line),
      ...rest.map((more) => `${lead}  ${bar.wins ? style.bold(more) : more}`),
    ];
  });
}

function drawBar(probability: number, width: number, blocks: boolean): string {
  const cells = Math.min(1, Math.max(0, probability)) * width;
  if (!blocks) return "#".repeat(Math.round(cells));
  const steps = Math.round(cells * 8);
  return "█".repeat(Math.floor(steps / 8)) + (eighths[steps % 8] ?? "");
}
