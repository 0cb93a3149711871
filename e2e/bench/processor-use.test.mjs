import { describe, expect, it } from "vitest";
import { untilQuiet, usedBetween } from "./processor-use.mjs";

const at = (/** @type {number} */ user, /** @type {number} */ idle) => ({
  times: { user, nice: 0, sys: 0, idle, irq: 0 },
});

describe("usedBetween", () => {
  it("adds what each processor did", () => {
    expect(usedBetween([at(100, 900), at(0, 0)], [at(150, 950), at(100, 0)])).toBe(1.5);
    expect(usedBetween([at(100, 900)], [at(100, 1000)])).toBe(0);
  });
  it("says nothing was used where no time has passed", () => {
    expect(usedBetween([at(1, 1)], [at(1, 1)])).toBe(0);
  });
});

describe("untilQuiet", () => {
  const asked = (/** @type {readonly number[]} */ ...answers) => {
    let count = 0;
    return { inUse: async () => answers[count++] ?? 0, now: () => count * 1000 };
  };
  it("waits for the others", async () => {
    const { inUse, now } = asked(2, 1.5, 0.1);
    expect(await untilQuiet(10_000, inUse, now)).toBe(0.1);
  });
  it("goes on when its patience is over, and says what it found", async () => {
    const { inUse, now } = asked(2, 2, 1.8, 0);
    expect(await untilQuiet(2500, inUse, now)).toBe(1.8);
  });
  it("does not wait without patience", async () => {
    const { inUse, now } = asked(2, 0);
    expect(await untilQuiet(0, inUse, now)).toBe(2);
  });
});
