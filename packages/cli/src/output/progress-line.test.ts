import { describe, expect, it } from "vitest";
import { ProgressLine } from "./progress-line.js";

function screen(isTerminal: boolean, env: NodeJS.ProcessEnv = {}, silent = false) {
  let text = "";
  const clock = { ms: 0 };
  const write = async (more: string) => {
    text += more;
  };
  const output = { isTerminal, columns: 40, closed: false, write };
  const line = new ProgressLine(output, { now: () => clock.ms, env, silent });
  const load = (fraction: number, ms: number) => {
    clock.ms = ms;
    line.report({ phase: "load", fraction });
  };
  return { line, load, clock, written: () => text };
}

describe("ProgressLine", () => {
  it("says nothing about what takes less than a second", () => {
    const { load, line, written } = screen(true);
    load(0.1, 0);
    load(0.9, 900);
    line.clear();
    expect(written()).toBe("");
  });

  it("writes a line each 10 % where it is no terminal, without escapes", () => {
    const { load, written } = screen(false);
    load(0, 0);
    for (let step = 10; step <= 100; step++) load(step / 100, 1000 + step * 50);
    const lines = written().trimEnd().split("\n");
    expect(lines).toHaveLength(10);
    expect(lines[0]).toBe("loading the model, 10 %");
    expect(lines[9]).toBe("loading the model, 100 %");
    expect(written()).not.toMatch(/(?!\n)\p{Cc}/u);
  });

  it("redraws one line on a terminal and takes it away", () => {
    const { load, line, written } = screen(true);
    load(0, 0);
    load(0.5, 1500);
    load(0.51, 1510);
    line.clear();
    expect(written()).toBe("\r\u001b[2Kloading the model, 50 %\r\u001b[2K");
  });

  it("appends lines on a terminal without colours", () => {
    const { load, written } = screen(true, { NO_COLOR: "1" });
    load(0, 0);
    load(0.5, 1500);
    expect(written()).toBe("loading the model, 50 %\n");
  });

  it("is mute when asked", () => {
    const { load, written } = screen(false, {}, true);
    load(0, 0);
    load(0.5, 5000);
    expect(written()).toBe("");
  });

  it("names bytes, speed and the time left of a download", () => {
    const { line, clock, written } = screen(false);
    const progress = { phase: "download", loaded: 50_000_000, total: 100_000_000, bytesPerSecond: 5_000_000 } as const;
    line.report(progress);
    clock.ms = 2000;
    line.report(progress);
    clock.ms = 4000;
    line.report({ ...progress, loaded: 65_000_000, bytesPerSecond: 0 });
    expect(written()).toBe(
      "downloading, 50.0 MB of 100 MB, 5.00 MB/s, 10.0 s left, 50 %\ndownloading, 65.0 MB of 100 MB, waiting for data, 65 %\n",
    );
  });
});
