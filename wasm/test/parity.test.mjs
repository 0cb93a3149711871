import { expect, it } from "vitest";
import { modelPath, nativeIsBuilt, relaxedTransports, tokens, transports } from "./fixture.mjs";

/** Both targets must choose alike wherever the best two options are further apart than this, in nats. */
const decisiveNats = 0.2;
/** Most that the options' log-probabilities may differ, root mean square, in nats. */
const rmsNats = 0.1;

const options = [28, 29, 30, 31, 32];
const plan = [
  { parent: -1, tokens: tokens(200, "parity") },
  ...Array.from({ length: 12 }, (_, index) => ({
    parent: 0,
    tokens: tokens(20 + index, `question ${index}`),
    reads: [{ at: 19 + index, ids: options }],
  })),
];

async function logProbs(start) {
  const scorer = await start();
  await scorer.load(modelPath, { contextTokens: 1024 });
  const { reads } = await scorer.score(plan, { reuse: false });
  await scorer.close();
  // Normalised over the options: this is what a decision is made of.
  return reads.map(({ logits }) => {
    const sum = Math.log([...logits].reduce((total, logit) => total + Math.exp(logit), 0));
    return [...logits].map((logit) => logit - sum);
  });
}

it.runIf(nativeIsBuilt)("module and native program agree on the same plan", async () => {
  const native = await logProbs(transports["native program"]);
  const { "native program": _, ...modules } = { ...transports, ...relaxedTransports };
  for (const [name, start] of Object.entries(modules)) {
    const found = await logProbs(start);
    let squares = 0;
    let alike = 0;
    let decisive = 0;
    found.forEach((values, question) => {
      const expected = native[question];
      values.forEach((value, option) => (squares += (value - expected[option]) ** 2));
      const [best, second] = [...expected].sort((a, b) => b - a);
      if (best - second <= decisiveNats) return;
      decisive += 1;
      if (values.indexOf(Math.max(...values)) === expected.indexOf(best)) alike += 1;
    });
    const rms = Math.sqrt(squares / (found.length * options.length));
    console.log(
      `${name} against native: RMS ${rms.toFixed(4)} nats; same choice in ${alike} of ${decisive} decisive questions`,
    );
    expect(rms).toBeLessThan(rmsNats);
    expect(alike).toBe(decisive);
    expect(decisive).toBeGreaterThan(5);
  }
});
