import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draw, seededRandom, weigh } from "./draw.js";

const open = { temperature: 1, topK: 0, topP: 1, minP: 0 };
const none = new Map<number, number>();
const of = (...probabilities: number[]) =>
  probabilities.map((probability, id) => ({ id, logit: Math.log(probability) }));
const idsOf = (weighted: readonly { readonly id: number }[]) => weighted.map(({ id }) => id);

describe("weigh", () => {
  it("is the softmax, most probable first", () => {
    const weighted = weigh(of(0.2, 0.5, 0.3), open, none);
    expect(idsOf(weighted)).toEqual([1, 2, 0]);
    expect(weighted.map(({ probability }) => probability)).toEqual([0.5, 0.3, 0.2].map((p) => expect.closeTo(p, 12)));
  });

  it("takes the most probable at temperature 0, and flattens above 1", () => {
    expect(weigh(of(0.2, 0.5, 0.3), { ...open, temperature: 0 }, none)).toEqual([{ id: 1, probability: 1 }]);
    const [best] = weigh(of(0.2, 0.5, 0.3), { ...open, temperature: 10 }, none);
    expect(best?.probability).toBeLessThan(0.37);
  });

  it("cuts off by count, by share and by distance", () => {
    expect(idsOf(weigh(of(0.5, 0.3, 0.15, 0.05), { ...open, topK: 2 }, none))).toEqual([0, 1]);
    expect(idsOf(weigh(of(0.5, 0.3, 0.15, 0.05), { ...open, topP: 0.7 }, none))).toEqual([0, 1]);
    expect(idsOf(weigh(of(0.5, 0.3, 0.15, 0.05), { ...open, minP: 0.3 }, none))).toEqual([0, 1, 2]);
  });

  it("adds the bias before all of that", () => {
    const biased = weigh(
      of(0.9, 0.06, 0.04),
      { ...open, topK: 2 },
      new Map([
        [1, 100],
        [2, 100],
      ]),
    );
    expect(biased).toEqual([
      { id: 1, probability: expect.closeTo(0.6, 12) },
      { id: 2, probability: expect.closeTo(0.4, 12) },
    ]);
  });

  it("always leaves a distribution over some of the candidates", () => {
    const logits = fc.array(fc.double({ min: -50, max: 50, noNaN: true }), { minLength: 1, maxLength: 40 });
    const settings = fc.record({
      temperature: fc.double({ min: 0, max: 5, noNaN: true }),
      topK: fc.nat(50),
      topP: fc.double({ min: 0, max: 1, noNaN: true }),
      minP: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(
        logits,
        settings,
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (values, how, at) => {
          const weighted = weigh(
            values.map((logit, id) => ({ id, logit })),
            how,
            none,
          );
          const sum = weighted.reduce((total, { probability }) => total + probability, 0);
          expect(sum).toBeCloseTo(1, 9);
          expect(values[weighted[0]?.id ?? -1]).toBe(Math.max(...values));
          expect(idsOf(weighted)).toContain(draw(weighted, at));
        },
      ),
    );
  });
});

describe("draw", () => {
  it("draws each as often as it is probable", () => {
    const weighted = weigh(of(0.7, 0.2, 0.1), open, none);
    const random = seededRandom(7);
    const counts = [0, 0, 0];
    for (let i = 0; i < 20_000; i++) {
      const id = draw(weighted, random()) ?? 0;
      counts[id] = (counts[id] ?? 0) + 1;
    }
    expect(counts.map((count) => count / 20_000)).toEqual([0.7, 0.2, 0.1].map((p) => expect.closeTo(p, 1)));
  });

  it("repeats itself for the same seed, and not for another", () => {
    const numbers = (seed: number) => Array.from({ length: 5 }, seededRandom(seed));
    expect(numbers(1)).toEqual(numbers(1));
    expect(numbers(1)).not.toEqual(numbers(2));
  });
});
