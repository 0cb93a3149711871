import { describe, expect, it } from "vitest";
import { tokenShares } from "./token-shares.js";

const node = (parent: number, length: number) => ({ parent, tokens: new Int32Array(length), reads: [] });
const plan = { nodes: [node(-1, 10), node(0, 5), node(0, 7), node(1, 2)] };

describe("tokenShares", () => {
  it("lets the first state pay for what several need", () => {
    expect(
      tokenShares(
        plan,
        [
          [0, 1, 3],
          [0, 2],
        ],
        0,
      ),
    ).toEqual([
      { evaluated: 17, reused: 0 },
      { evaluated: 7, reused: 10 },
    ]);
  });

  it("counts what an earlier call left, and a node once for all passes of a state", () => {
    expect(tokenShares(plan, [[0, 1, 0, 1, 3]], 8)).toEqual([{ evaluated: 9, reused: 8 }]);
  });

  it("lets the second of two equal states pay for nothing", () => {
    expect(
      tokenShares(
        plan,
        [
          [0, 2],
          [0, 2],
        ],
        4,
      )[1],
    ).toEqual({ evaluated: 0, reused: 17 });
  });
});
