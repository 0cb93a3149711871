import { describe, expect, it } from "vitest";
import { OptioError } from "../errors.js";
import { pause } from "../pause.js";
import { RetryBudget, type Setback } from "./retry.js";

const error = new OptioError("download_failed", "lost");
const setback = (more: Partial<Setback> = {}): Setback => ({ error, gainedBytes: 0, ...more });

/** Setbacks that a budget took before it threw. */
async function taken(budget: RetryBudget, each: Setback, most = 20): Promise<number> {
  for (let count = 0; count < most; count++) {
    try {
      await budget.spend(each, undefined);
    } catch (thrown) {
      expect(thrown).toBe(each.error);
      return count;
    }
  }
  return most;
}

describe("a budget of retries", () => {
  it("ends after so many attempts in a row", async () => {
    expect(await taken(new RetryBudget({ attempts: 4, backOffMs: 0 }), setback())).toBe(3);
  });

  it("does not end while attempts bring enough", async () => {
    const budget = new RetryBudget({ attempts: 3, backOffMs: 0 });
    expect(await taken(budget, setback({ gainedBytes: 256 * 1024 }))).toBe(20);
    expect(await taken(budget, setback({ gainedBytes: 256 * 1024 - 1 }))).toBe(1);
  });

  it("ends earlier for what time seldom cures", async () => {
    expect(await taken(new RetryBudget({ attempts: 6, backOffMs: 0 }), setback({ attempts: 2 }))).toBe(1);
  });

  it("waits longer each time, and at least as long as the server asked", async () => {
    const budget = new RetryBudget({ attempts: 6, backOffMs: 40 });
    const waits: number[] = [];
    for (const each of [setback(), setback(), setback({ afterMs: 300 })]) {
      const before = performance.now();
      await budget.spend(each, undefined);
      waits.push(performance.now() - before);
    }
    // Each is spread by a quarter to both sides; timers may come a little early.
    expect(waits[0]).toBeGreaterThan(28);
    expect(waits[1]).toBeGreaterThan(58);
    expect(waits[2]).toBeGreaterThan(298);
  });

  it("stops waiting when the caller gives up", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort("enough"), 10);
    const wait = new RetryBudget({ attempts: 6, backOffMs: 60_000 }).spend(setback(), controller.signal);
    await expect(wait).rejects.toBe("enough");
    await expect(pause(60_000, controller.signal)).rejects.toBe("enough");
  });
});
