import { describe, expect, it } from "vitest";
import { barChart } from "./chart.mjs";

const bar = { label: "A & B", median: 50, least: 40, most: 100, text: "50 ms", own: true };

describe("barChart", () => {
  it("gives each panel a scale of its own, and a range to each bar", () => {
    const svg = barChart("Title", "Below", [
      { title: "First", bars: [bar] },
      { title: "Second", bars: [{ ...bar, median: 5, least: 5, most: 10, own: false }] },
    ]);
    const widths = [...svg.matchAll(/<rect class="(own|other)"[^>]* width="([\d.]+)"/g)].map(([, kind, width]) => [
      kind,
      width,
    ]);
    expect(widths).toEqual([
      ["own", "195"],
      ["other", "195"],
    ]);
    expect(svg).toContain("A &amp; B");
    expect(svg).toContain("prefers-color-scheme: dark");
  });
  it("draws nothing wider than it is", () => {
    const svg = barChart("Title", "", [{ title: "Zero", bars: [{ ...bar, median: 0, least: 0, most: 0 }] }]);
    expect(svg).toContain('width="0"');
    expect(svg).not.toContain("NaN");
  });
});
