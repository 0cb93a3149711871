import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OptioError } from "../errors.js";
import { inGroups } from "./in-groups.js";

const { signal } = new AbortController();

describe("inGroups", () => {
  it("gives every item its own outcome, in order, whichever fail and however few fit together", async () => {
    const items = fc.array(fc.record({ value: fc.nat(), bad: fc.boolean() }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(
        items,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        async (all, size, fits) => {
          const outcomes: unknown[] = [];
          const work = async (group: readonly { value: number; bad: boolean }[]) => {
            expect(group.length).toBeLessThanOrEqual(size);
            if (group.length > fits) return undefined;
            if (group.some(({ bad }) => bad)) throw new OptioError("non_finite_scores", "bad");
            return group.map(({ value }) => value);
          };
          for await (const outcome of inGroups(all, { size, work, signal })) {
            outcomes.push(outcome.status === "fulfilled" ? outcome.value : outcome.reason.code);
          }
          expect(outcomes).toEqual(all.map(({ value, bad }) => (bad ? "non_finite_scores" : value)));
        },
      ),
    );
  });

  it("ends with a failure that no item can be blamed for", async () => {
    let calls = 0;
    const work = async () => {
      calls += 1;
      throw new OptioError("engine_closed", "closed");
    };
    await expect(inGroups([1, 2, 3], { size: 2, work, signal }).next()).rejects.toMatchObject({
      code: "engine_closed",
    });
    expect(calls).toBe(1);
  });
});
