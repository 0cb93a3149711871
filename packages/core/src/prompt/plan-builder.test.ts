import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScorePlan } from "../scorer/scorer.js";
import { PlanBuilder } from "./plan-builder.js";

/** Tokens from the root to the end of a node. */
function pathTo(plan: ScorePlan, index: number): readonly number[] {
  const node = plan.nodes[index];
  return node === undefined ? [] : [...pathTo(plan, node.parent), ...node.tokens];
}

const short = fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 3 });
/** Long enough alike to be worth a node of its own. */
const long = fc
  .tuple(fc.integer({ min: 17, max: 40 }), short)
  .map(([alike, rest]) => [...Array(alike).keys(), ...rest]);
const run = fc.oneof(short, long).map((tokens) => Int32Array.from(tokens));
const path = fc.array(run, { minLength: 1, maxLength: 4 }).filter((runs) => runs.some(({ length }) => length > 0));

describe("PlanBuilder", () => {
  it("reads every token where its path ends, however paths share their nodes", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(path, fc.integer({ min: 0, max: 3 })), { minLength: 1, maxLength: 6 }),
        (wanted) => {
          const builder = new PlanBuilder();
          const refs = wanted.map(([runs, token]) => builder.read(builder.path(runs), token));
          const { plan, longestPath, tokens } = builder.build();
          wanted.forEach(([runs, token], index) => {
            const { node, read, id } = refs[index]?.() ?? expect.fail("no reference");
            const { at, ids } = plan.nodes[node]?.reads[read] ?? expect.fail("no such read");
            const before = pathTo(plan, plan.nodes[node]?.parent ?? -1);
            const upTo = [...before, ...(plan.nodes[node]?.tokens.slice(0, at + 1) ?? [])];
            expect(upTo).toEqual(runs.flatMap((part) => [...part]));
            expect(ids[id]).toBe(token);
          });
          expect(longestPath).toBe(Math.max(...plan.nodes.map((_, index) => pathTo(plan, index).length)));
          expect(tokens).toBe(plan.nodes.reduce((sum, node) => sum + node.tokens.length, 0));
        },
      ),
    );
  });

  it("makes a tree: parents first, no empty node but the root, no read twice", () => {
    fc.assert(
      fc.property(fc.array(path, { minLength: 1, maxLength: 6 }), (paths) => {
        const builder = new PlanBuilder();
        for (const runs of paths) {
          builder.read(builder.path(runs), 1);
          builder.read(builder.path(runs), 1);
        }
        const { plan } = builder.build();
        plan.nodes.forEach(({ parent, tokens, reads }, index) => {
          expect(parent).toBeLessThan(index);
          expect(parent === -1).toBe(index === 0);
          if (index > 0) expect(tokens.length).toBeGreaterThan(0);
          expect(new Set(reads.map(({ at }) => at)).size).toBe(reads.length);
          for (const { ids } of reads) expect(new Set(ids).size).toBe(ids.length);
        });
      }),
    );
  });

  it("shares what paths begin with inside of runs, where that saves a batch's worth, and in the root in any case", () => {
    const run = (length: number, last: number) =>
      Int32Array.from({ length }, (_, at) => (at === length - 1 ? last : at));
    const planOf = (...paths: Int32Array[][]) => {
      const builder = new PlanBuilder();
      for (const runs of paths) builder.read(builder.path(runs), 1);
      return builder.build();
    };
    // All of the root's children: 3 tokens become the root.
    expect(planOf([run(4, 100)], [run(4, 101)]).plan.nodes.map(({ tokens }) => tokens.length)).toEqual([3, 1, 1]);
    // Below another fork: 3 tokens are not worth it, 20 are.
    const other = Int32Array.of(500, 501);
    expect(planOf([other], [run(4, 100)], [run(4, 101)]).tokens).toBe(2 + 4 + 4);
    expect(planOf([other], [run(21, 100)], [run(21, 101)]).tokens).toBe(2 + 20 + 1 + 1);
  });

  it("ends the root early for a memory that cannot be cut back", () => {
    const builder = new PlanBuilder({ rootRuns: 2 });
    for (const last of [7, 8]) {
      builder.read(builder.path([Int32Array.of(1), Int32Array.of(2, 3), Int32Array.of(4, 5), Int32Array.of(last)]), 1);
    }
    const [root, next] = builder.build().plan.nodes;
    expect([...(root?.tokens ?? [])]).toEqual([1, 2, 3]);
    expect([...(next?.tokens ?? [])]).toEqual([4, 5]);
  });
});
