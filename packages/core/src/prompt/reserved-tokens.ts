import { OptioError } from "../errors.js";
import type { ReservedToken, Scorer, TokenizeText } from "../scorer/scorer.js";

/**
 * Tokenises text that is data, so that no part of it becomes a control token.
 *
 * llama.cpp matches user-defined tokens even when control tokens are not parsed, and some vocabularies mark turns with
 * them: a text in which that happens is tokenised in pieces, cut inside every such marker. Runs of white space are left
 * alone; there they are ordinary tokens. One call, and a second one for all texts that had to be cut.
 *
 * @throws OptioError `reserved_token` when a control token comes out all the same.
 */
export async function tokenizeContent(
  scorer: Scorer,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly Int32Array[]> {
  const markers = new Map(scorer.info.model.reservedTokens.filter(marksSomething).map(({ id, text }) => [id, text]));
  const markerIn = (ids: Int32Array): number | undefined => ids.find((id) => markers.has(id));
  const plain = (text: string): TokenizeText => ({ text, special: false });

  const tokens = await scorer.tokenize(texts.map(plain), { signal });
  const pieces = texts.map((text, index) =>
    markerIn(tokens[index] ?? new Int32Array()) === undefined ? [] : cutApart(text, [...markers.values()]),
  );
  if (pieces.every((own) => own.length === 0)) return tokens;

  const parts = (await scorer.tokenize(pieces.flat().map(plain), { signal })).values();
  return tokens.map((ids, index) => {
    const own = pieces[index] ?? [];
    if (own.length === 0) return ids;
    const joined = concatTokens(own.map(() => parts.next().value ?? new Int32Array()));
    const left = markerIn(joined);
    if (left === undefined) return joined;
    const marker = JSON.stringify(markers.get(left));
    throw new OptioError("reserved_token", `The text contains ${marker}, which this model reserves.`);
  });
}

/** White space and single characters are ordinary text that a vocabulary happens to list as user-defined. */
export function marksSomething({ kind, text }: ReservedToken): boolean {
  return kind === "control" || (kind === "user-defined" && text.trim() !== "" && [...text].length > 1);
}

/** Cuts the text behind the first character of every marker in it, so that no piece holds a whole one. */
function cutApart(text: string, markers: readonly string[]): readonly string[] {
  const cuts = new Set<number>();
  for (const marker of markers) {
    const first = [...marker][0]?.length ?? 0;
    if (marker.length <= first) continue;
    for (let at = text.indexOf(marker); at !== -1; at = text.indexOf(marker, at + 1)) cuts.add(at + first);
  }
  const ends = [...cuts].sort((a, b) => a - b).concat(text.length);
  return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end)).filter((piece) => piece !== "");
}

export function concatTokens(parts: readonly Int32Array[]): Int32Array {
  const all = new Int32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
