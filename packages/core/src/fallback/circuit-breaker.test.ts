import { describe, expect, it } from "vitest";
import { HourlyBudget } from "./budget.js";
import { CircuitBreaker } from "./circuit-breaker.js";

describe("CircuitBreaker", () => {
  function breaker() {
    let now = 0;
    const later = (ms: number) => (now += ms);
    return { later, of: new CircuitBreaker({ failures: 2, coolDownMs: 1_000 }, () => now) };
  }

  it("opens after failures in a row, and not after as many with a success between", () => {
    const { of } = breaker();
    of.failed();
    of.succeeded();
    of.failed();
    expect(of.admit()).toBe(true);
    of.failed();
    expect(of.admit()).toBe(false);
  });

  it("lets one decision try after the cool-down, and the rest in when that went well", () => {
    const { of, later } = breaker();
    of.failed();
    of.failed();
    later(999);
    expect(of.admit()).toBe(false);
    later(1);
    expect([of.admit(), of.admit()]).toEqual([true, false]);
    of.succeeded();
    expect([of.admit(), of.admit()]).toEqual([true, true]);
  });

  it("waits anew after a trial that failed, and tries at once after one that ended without a result", () => {
    const { of, later } = breaker();
    of.failed();
    of.failed();
    later(1_000);
    expect(of.admit()).toBe(true);
    of.failed();
    expect(of.admit()).toBe(false);
    later(1_000);
    expect(of.admit()).toBe(true);
    of.undecided();
    expect(of.admit()).toBe(true);
  });
});

describe("HourlyBudget", () => {
  it("gives what is allowed in any hour, not in each", () => {
    let now = 0;
    const budget = new HourlyBudget(2, () => now);
    const spendAt = (minutes: number) => {
      now = minutes * 60_000;
      return budget.spend();
    };
    expect([0, 50, 55].map(spendAt)).toEqual([true, true, false]);
    // The first is more than an hour ago, the second is not.
    expect([61, 62, 109].map(spendAt)).toEqual([true, false, false]);
    expect(spendAt(111)).toBe(true);
  });

  it("gives nothing where nothing is allowed, and everything without a limit", () => {
    expect(new HourlyBudget(0).spend()).toBe(false);
    expect(new HourlyBudget(Number.POSITIVE_INFINITY).spend()).toBe(true);
  });
});
