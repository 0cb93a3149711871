import { describe, expect, it } from "vitest";
import { renderBars } from "./bars.js";
import { displayWidth } from "./display-width.js";
import { styleFor } from "./style.js";

const plain = styleFor({ isTerminal: false }, {});
const bars = [
  { label: "billing", probability: 0.905, wins: true },
  { label: "technical", probability: 0.094, wins: false },
  { label: "other", probability: 0.001, wins: false },
];

describe("renderBars", () => {
  it("keeps the given order, marks the winner by shape and writes whole per cent", () => {
    const lines = renderBars(bars, plain);
    expect(lines.map((line) => line.replace(/[█▏▎▍▌▋▊▉]+/u, "|").replace(/ +/gu, " "))).toEqual([
      " ▶ billing | 91 %",
      " technical | 9 %",
      " other < 1 %",
    ]);
  });

  it("draws a bar in proportion", () => {
    const blocks = renderBars(bars, plain).map((line) => line.match(/█/gu)?.length ?? 0);
    expect(blocks).toEqual([36, 3, 0]);
  });

  it("uses ASCII where blocks cannot be shown", () => {
    const ascii = renderBars(bars, styleFor({ isTerminal: true, columns: 60 }, { TERM: "dumb" }));
    expect(ascii.join("\n")).toMatch(/^[\x20-\x7e\n]*$/u);
    expect(ascii[0]).toContain("> billing");
  });

  it("wraps long labels and fits narrow screens", () => {
    const label = "a rather long description of what this option stands for";
    const lines = renderBars(
      [{ label, probability: 0.5, wins: true }, ...bars],
      styleFor({ isTerminal: true, columns: 44 }, { NO_COLOR: "1" }),
    );
    expect(lines.length).toBeGreaterThan(bars.length + 1);
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(44);
    expect(
      lines
        .join(" ")
        .replace(/[^a-z ]/gu, "")
        .replace(/ +/gu, " "),
    ).toContain("stands for");
  });

  it("takes control characters out of labels", () => {
    const [line] = renderBars([{ label: "\u001b[2Jgone", probability: 1, wins: true }], plain);
    expect(line).not.toContain("\u001b");
  });
});
