import { statSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ModuleClient } from "./client.mjs";
import { modelPath, tokens, transports } from "./fixture.mjs";

/**
 * Most that log-probabilities of a tree and of its parts may differ, root mean square, in nats. Batching changes the order of additions, and
 * activations have 8 bits, so that a last bit more or less ends as a step of one in 127.
 */
const batchingNats = 0.1;

describe.each(Object.entries(transports))("scorer, %s", (_, start) => {
  let scorer;
  let facts;
  beforeAll(async () => {
    scorer = await start();
    facts = await scorer.load(modelPath, { contextTokens: 1024 });
  });
  afterAll(() => scorer?.close());

  const logProbs = ({ reads }) => reads.map(({ logits, logSumExp }) => [...logits].map((logit) => logit - logSumExp));

  it("says hello and what the model is", async () => {
    expect(await scorer.hello()).toMatchObject({ protocol: 2 });
    expect(facts.model).toMatchObject({
      architecture: "llama",
      vocabSize: 49152,
      embeddingLength: 576,
      contextTokens: 1024,
      addBos: false,
      eosToken: 2,
      truncatable: true,
    });
    expect(facts.model.reservedTokens).toContainEqual({ id: 2, text: "<|im_end|>", kind: "control" });
    expect(facts.model.chatTemplates.default).toContain("<|im_start|>");
  });

  it("parses control tokens only where it is told to", async () => {
    expect(await scorer.tokenize("<|im_end|>", true)).toEqual([2]);
    expect(await scorer.tokenize("<|im_end|>", false)).not.toContain(2);
    expect(await scorer.tokenize("", false)).toEqual([]);
    const grapheme = await scorer.tokenize("😀 naïve", false);
    expect(grapheme.length).toBeGreaterThan(2);
  });

  it("gives a branch of a tree the numbers of its whole path", async () => {
    const ids = [10, 20, 30];
    const [root, ...branches] = [tokens(40, "root"), tokens(9, "a"), tokens(1, "b"), tokens(17, "c")];
    const tree = await scorer.score(
      [
        { parent: -1, tokens: root },
        ...branches.map((branch) => ({ parent: 0, tokens: branch, reads: [{ at: branch.length - 1, ids }] })),
        {
          parent: 1,
          tokens: tokens(5, "d"),
          reads: [
            { at: 0, ids },
            { at: 4, ids },
          ],
        },
      ],
      { reuse: false },
    );
    const whole = async (path, at) =>
      logProbs(await scorer.score([{ parent: -1, tokens: path, reads: [{ at, ids }] }], { reuse: false }))[0];
    const paths = [
      ...branches.map((branch) => [...root, ...branch]),
      [...root, ...branches[0], ...tokens(5, "d").slice(0, 1)],
      [...root, ...branches[0], ...tokens(5, "d")],
    ];
    const found = logProbs(tree);
    for (const [index, path] of paths.entries()) {
      const expected = await whole(path, path.length - 1);
      const squares = expected.map((value, id) => (found[index][id] - value) ** 2);
      const rms = Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length);
      expect(rms, `path ${index}`).toBeLessThan(batchingNats);
    }
  });

  it("evaluates nothing twice that the cache still holds, and gives the same numbers", async () => {
    const plan = (question) => [
      { parent: -1, tokens: tokens(60, "state") },
      { parent: 0, tokens: tokens(8, question), reads: [{ at: 7, ids: [5, 6] }] },
    ];
    await scorer.forget();
    const fresh = await scorer.score(plan("one"));
    expect(fresh.reused).toBe(0);
    const other = await scorer.score(plan("two"));
    expect(other).toMatchObject({ reused: 60, evaluated: 8 });
    const again = await scorer.score(plan("one"));
    logProbs(again)[0].forEach((value, id) => expect(value).toBeCloseTo(logProbs(fresh)[0][id], 1));
    expect(await scorer.score(plan("one"), { reuse: false })).toMatchObject({ reused: 0, evaluated: 68 });
  });

  it("evaluates trees that are larger than its sequences, its batch and its outputs", async () => {
    const branches = Array.from({ length: 255 }, (_, index) => ({
      parent: 0,
      tokens: tokens(3, `option ${index}`),
      reads: [0, 1, 2].map((at) => ({ at, ids: [index] })),
    }));
    const result = await scorer.score([{ parent: -1, tokens: tokens(20, "root") }, ...branches], { reuse: false });
    expect(result.reads).toHaveLength(255 * 3);
    expect(result.reads.every(({ logits, logSumExp }) => Number.isFinite(logSumExp) && logits[0] < logSumExp)).toBe(
      true,
    );
    const alone = await scorer.score([{ parent: -1, tokens: tokens(20, "root") }, branches[254]], { reuse: false });
    alone.reads.forEach(({ logits }, at) =>
      expect(Math.abs(logits[0] - result.reads[254 * 3 + at].logits[0])).toBeLessThan(0.5),
    );
  });

  it("goes step by step when asked, to the same numbers", async () => {
    const plan = [{ parent: -1, tokens: tokens(700, "long"), reads: [{ at: 699, ids: [1, 2] }] }];
    const whole = await scorer.score(plan, { reuse: false });
    let answer = await scorer.score(plan, { reuse: false, step: true });
    let steps = 1;
    for (; !answer.done; steps++) answer = await scorer.step();
    expect(steps).toBeGreaterThan(1);
    expect(logProbs(answer)).toEqual(logProbs(whole));
  });

  it("refuses what does not fit before any work, and says by how much", async () => {
    await expect(scorer.score([{ parent: -1, tokens: tokens(1025, "x") }])).rejects.toMatchObject({
      code: "context_too_long",
      details: { needed: 1025, available: 1024 },
    });
  });

  it.each([
    ["no node", []],
    ["a root with a parent", [{ parent: 0, tokens: [1] }]],
    [
      "a parent that comes later",
      [
        { parent: -1, tokens: [1] },
        { parent: 2, tokens: [1] },
        { parent: 0, tokens: [1] },
      ],
    ],
    ["a token outside the vocabulary", [{ parent: -1, tokens: [49152] }]],
    ["a negative token", [{ parent: -1, tokens: [-1] }]],
    ["a read behind the node", [{ parent: -1, tokens: [1, 2], reads: [{ at: 2, ids: [1] }] }]],
    ["a read of a token outside the vocabulary", [{ parent: -1, tokens: [1], reads: [{ at: 0, ids: [50_000] }] }]],
  ])("refuses %s", async (_name, plan) => {
    await expect(scorer.score(plan)).rejects.toMatchObject({ code: "invalid_plan" });
  });

  it("ends at its deadline, and is whole afterwards", async () => {
    const began = performance.now();
    await expect(
      scorer.score([{ parent: -1, tokens: tokens(1000, "late") }], { reuse: false, deadlineMs: 60 }),
    ).rejects.toMatchObject({
      code: "timeout",
    });
    expect(performance.now() - began).toBeLessThan(60 + 200);
    await expect(scorer.score([{ parent: -1, tokens: [1], reads: [{ at: 0, ids: [2] }] }])).resolves.toMatchObject({
      done: true,
    });
  });

  it("reads hidden states, a row a position", async () => {
    const rows = await scorer.hidden(tokens(12, "hidden"), [0, 11]);
    expect(rows.map((row) => row.length)).toEqual([576, 576]);
    expect(rows.flatMap((row) => [...row]).every(Number.isFinite)).toBe(true);
    expect(rows[0]).not.toEqual(rows[1]);
  });

  it("tells the most probable tokens, in order, with the logits that reads by id have", async () => {
    const root = tokens(20, "top");
    const read = (ids, top) => [{ parent: -1, tokens: root, reads: [{ at: 19, ids, top }] }];
    const { reads } = await scorer.score(read([5], 200), { reuse: false });
    const { ids, logits } = reads[0].top;
    expect(new Set(ids).size).toBe(200);
    expect([...logits]).toEqual([...logits].sort((a, b) => b - a));
    const again = await scorer.score(read([...ids], 0), { reuse: false });
    expect([...again.reads[0].logits]).toEqual([...logits]);
    expect(again.reads[0].top.ids).toHaveLength(0);
    // No token outside of the list is more probable than the last on it.
    const all = await scorer.score(read([], facts.model.vocabSize), { reuse: false });
    expect([...all.reads[0].top.ids.slice(0, 200)]).toEqual([...ids]);
    await expect(scorer.score(read([], facts.model.vocabSize + 1))).rejects.toMatchObject({ code: "invalid_plan" });
    await expect(scorer.score(read([], 0))).rejects.toMatchObject({ code: "invalid_plan" });
  });

  it("gives the bytes of tokens back", async () => {
    const text = "Grüße, 😀 naïve";
    const pieces = await scorer.pieces(await scorer.tokenize(text, false));
    // A character may be several tokens, and then no token is text by itself.
    expect(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces))).toBe(text);
    expect(await scorer.pieces([2])).toEqual([new Uint8Array()]);
    await expect(scorer.pieces([facts.model.vocabSize])).rejects.toMatchObject({ code: "invalid_plan" });
  });

  it("can be unloaded and loaded again", async () => {
    await scorer.unload();
    await expect(scorer.tokenize("x")).rejects.toMatchObject({ code: "not_loaded" });
    await scorer.load(modelPath, { contextTokens: 1024 });
    expect(await scorer.tokenize("<|im_end|>", true)).toEqual([2]);
  });
});

describe("the module's memory", () => {
  it.each([{}, { threads: 2 }])("holds weights, KV cache and little else %j", async (threads) => {
    const scorer = await ModuleClient.start(threads);
    try {
      const contextTokens = 1024;
      await scorer.load(modelPath, { contextTokens });
      const root = tokens(600, "root");
      const branches = Array.from({ length: 40 }, (_, index) => tokens(8, `branch ${index}`));
      await scorer.score([
        { parent: -1, tokens: root },
        ...branches.map((branch) => ({ parent: 0, tokens: branch, reads: [{ at: 7, ids: [1] }] })),
      ]);
      const keysAndValues = 2 * 2 * 3 * 64 * 30 * contextTokens; // f16, 3 heads of 64 in 30 layers
      const rest = scorer.heapBytes() - statSync(modelPath).size - keysAndValues;
      // Graph buffers, two times 8 MiB of logits, vocabulary, code and stacks.
      expect(rest).toBeLessThan(50e6);
    } finally {
      await scorer.close();
    }
  });
});
