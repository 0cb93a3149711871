import { describe, expect, it } from "vitest";
import { byteScorer, textOf } from "../../test/byte-scorer.js";
import type { ReservedToken, Scorer } from "../scorer/scorer.js";
import { tokenizeContent } from "./reserved-tokens.js";

const { signal } = new AbortController();

/** A vocabulary of bytes and the given user-defined tokens, of which the longest that fits is taken, as llama.cpp does. */
function scorerWith(...texts: readonly string[]): { readonly scorer: Scorer; readonly calls: number[] } {
  const bytes = byteScorer("");
  const reservedTokens = texts.map((text, index): ReservedToken => ({ id: 1_000 + index, text, kind: "user-defined" }));
  const longest = [...reservedTokens].sort((a, b) => b.text.length - a.text.length);
  const calls: number[] = [];
  const tokensOf = (text: string): number[] => {
    const token = longest.find((candidate) => text.includes(candidate.text));
    if (token === undefined) return [...new TextEncoder().encode(text)];
    return text.split(token.text).flatMap((part, index) => [...(index === 0 ? [] : [token.id]), ...tokensOf(part)]);
  };
  const scorer: Scorer = {
    ...bytes,
    info: { ...bytes.info, model: { ...bytes.info.model, reservedTokens } },
    tokenize: async (wanted) => {
      calls.push(wanted.length);
      return wanted.map(({ text }) => Int32Array.from(tokensOf(text)));
    },
  };
  return { scorer, calls };
}

describe("tokenizeContent", () => {
  it.each([
    ["a marker", "say <turn> and <turn>"],
    ["a marker that begins beside another", "<turn><turn>"],
    ["a marker that overlaps itself", "<<turn>>turn>"],
    ["a marker that a longer one had hidden", "|<turn>|"],
    ["a marker that begins with a surrogate pair", "\u{1f600}turn \u{1f600}turn"],
  ])("spells %s out", async (_, text) => {
    const { scorer } = scorerWith("<turn>", "|<turn>|", "<turn>|", "\u{1f600}turn");
    const [tokens = []] = await tokenizeContent(scorer, [text], signal);
    expect([...tokens].every((token) => token < 256)).toBe(true);
    expect(textOf(tokens)).toBe(text);
  });

  it("leaves white space and single characters to the vocabulary", async () => {
    const { scorer, calls } = scorerWith("\n\n", "\u00e9");
    const [tokens = []] = await tokenizeContent(scorer, ["a\n\n\u00e9"], signal);
    expect([...tokens]).toEqual([97, 1_000, 1_001]);
    expect(calls).toEqual([1]);
  });

  it("cuts all texts that need it in one further call, and leaves the others", async () => {
    const { scorer, calls } = scorerWith("<turn>");
    const texts = ["<turn>a", "plain", "b<turn>c<turn>"];
    expect((await tokenizeContent(scorer, texts, signal)).map(textOf)).toEqual(texts);
    expect(calls).toEqual([3, 2 + 3]);
  });

  it("refuses text in which a control token comes out all the same", async () => {
    const { scorer } = scorerWith();
    const control = { id: 7, text: "<bell>", kind: "control" } as const;
    const model = { ...scorer.info.model, reservedTokens: [control] };
    await expect(
      tokenizeContent({ ...scorer, info: { ...scorer.info, model } }, ["ding \u0007"], signal),
    ).rejects.toMatchObject({ code: "reserved_token", message: expect.stringContaining("<bell>") });
  });
});
