import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ProgressMeter, SpeedWindow } from "./progress-meter.js";
import type { StoreProgress } from "./store-platform.js";

describe("the speed of a download", () => {
  it("is that of the last five seconds", () => {
    const speed = new SpeedWindow(0);
    for (let second = 0; second < 10; second++) speed.add(second < 5 ? 9_000 : 1_000, second * 1000 + 500);
    expect(speed.bytesPerSecond(10_000)).toBe(1_000);
  });

  it("falls to 0 within five seconds of silence", () => {
    const speed = new SpeedWindow(0);
    speed.add(1_000_000, 1_000);
    expect(speed.bytesPerSecond(2_000)).toBe(500_000);
    expect(speed.bytesPerSecond(6_100)).toBe(0);
  });

  it("does not take a first burst for the speed of the line", () => {
    const speed = new SpeedWindow(0);
    speed.add(1_000, 1);
    expect(speed.bytesPerSecond(2)).toBe(2_000);
  });
});

describe("a progress meter", () => {
  it("reports while nothing arrives, and where it ended", async () => {
    const reports: StoreProgress[] = [];
    const meter = new ProgressMeter((progress) => reports.push(progress), 5);
    meter.standAt(40, 100);
    await pause(40);
    expect(reports.length).toBeGreaterThan(1);
    expect(reports[0]).toEqual({ phase: "download", loaded: 40, total: 100, bytesPerSecond: 0 });
    meter.received(60);
    meter.stop();
    expect(reports.at(-1)).toMatchObject({ loaded: 100, total: 100 });
    const count = reports.length;
    await pause(20);
    expect(reports).toHaveLength(count);
  });
});
