import { describe, expect, it } from "vitest";
import { peakMemory, treeOf } from "./process-tree.mjs";

describe("treeOf", () => {
  it("finds children that are listed before their parents, and nobody else's", () => {
    const all = [
      { pid: 30, parent: 20 },
      { pid: 20, parent: 10 },
      { pid: 10, parent: 1 },
      { pid: 40, parent: 1 },
    ];
    expect(treeOf([10], all).map(({ pid }) => pid)).toEqual([30, 20, 10]);
    expect(treeOf([99], all)).toEqual([]);
  });
});

describe("peakMemory", () => {
  it("says something plausible of this process, where the system does", () => {
    const bytes = peakMemory([process.pid]);
    if (process.platform !== "linux") expect(bytes).toBeUndefined();
    else expect(bytes).toBeGreaterThan(20e6);
  });
});
