import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Op } from "./frame.js";
import {
  bareRequest,
  CallAborted,
  readScore,
  readTokens,
  resultOf,
  scoreRequest,
  tokenizeRequest,
} from "./protocol.js";
import type { ScorePlan } from "./scorer.js";

interface Golden {
  readonly plan: readonly { parent: number; tokens: number[]; reads: { at: number; ids: number[] }[] }[];
  readonly frames: readonly { readonly name: string; readonly request: string; readonly answer: string }[];
}

/** The scorer's own tests hold the other side to the same file. */
const golden = JSON.parse(
  readFileSync(new URL("../../../../wasm/golden/frames.json", import.meta.url), "utf8"),
) as Golden;
const frame = (name: string) => {
  const found = golden.frames.find((candidate) => candidate.name === name);
  if (found === undefined) throw expect.fail(`no golden frame ${name}`);
  return { request: found.request, answer: Uint8Array.from(Buffer.from(found.answer, "hex")) };
};
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const plan: ScorePlan = {
  nodes: golden.plan.map(({ parent, tokens, reads }) => ({
    parent,
    tokens: Int32Array.from(tokens),
    reads: reads.map(({ at, ids }) => ({ at, ids: Int32Array.from(ids) })),
  })),
};

describe("protocol", () => {
  it("writes requests as the golden frames have them", () => {
    const texts = [
      { text: "<|im_end|>", special: true },
      { text: "Grüße!", special: false },
    ];
    expect(hex(tokenizeRequest(1, texts))).toBe(frame("tokenize, two texts").request);
    expect(hex(scoreRequest(2, { plan, reuse: false, stepwise: false, deadlineMs: 0 }))).toBe(
      frame("score, three nodes").request,
    );
    expect(hex(bareRequest(4, Op.forget))).toBe(frame("forget").request);
  });

  it("reads the answers", () => {
    const [special, plain] = readTokens(resultOf(frame("tokenize, two texts").answer));
    expect([...(special ?? [])]).toEqual([2]);
    expect(plain?.length).toBeGreaterThan(1);
    const score = readScore(resultOf(frame("score, three nodes").answer), plan);
    if (!score.done) throw expect.fail("the score is not done");
    expect(score.result).toMatchObject({ evaluatedTokens: 6, reusedTokens: 0 });
    expect(score.result.nodes.map((reads) => reads.map(({ logits }) => logits.length))).toEqual([[], [3], [1, 2]]);
    for (const { logits, logSumExp } of score.result.nodes.flat()) {
      for (const logit of logits) expect(logit).toBeLessThan(logSumExp);
    }
  });

  it("throws the scorer's errors with codes of this library", () => {
    expect(() => resultOf(frame("step with nothing unfinished").answer)).toThrow(
      expect.objectContaining({ code: "protocol_mismatch" }),
    );
    expect(() => resultOf(frame("an unknown op").answer)).toThrow(/unknown op 77/);
    expect(() => resultOf(frame("score, a parent that comes later").answer)).toThrow(
      expect.objectContaining({ code: "internal" }),
    );
  });

  it("refuses an answer to another plan", () => {
    const other: ScorePlan = { nodes: plan.nodes.slice(0, 2) };
    expect(() => readScore(resultOf(frame("score, three nodes").answer), other)).toThrow(/3 reads where 1/);
  });

  it("tells a cancelled call from a failed one", () => {
    expect(new CallAborted()).toBeInstanceOf(Error);
  });
});
