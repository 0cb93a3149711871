import { OptioError } from "../errors.js";
import type { ReservedToken, Scorer, TokenizeText } from "../scorer/scorer.js";

/**
 * Tokenises text that is data, so that no part of it becomes a control token.
 *
 * llama.cpp matches user-defined tokens even when control tokens are not parsed, and some vocabularies mark turns with
 * them: such a text is tokenised in two halves. Runs of white space are left alone; there they are ordinary tokens.
 *
 * @throws OptioError `reserved_token` when a control token comes out all the same.
 */
export async function tokenizeContent(
  scorer: Scorer,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly Int32Array[]> {
  const reserved = new Map(scorer.info.model.reservedTokens.map((token) => [token.id, token]));
  const plain = (text: string): TokenizeText => ({ text, special: false });
  const tokens = await scorer.tokenize(texts.map(plain), { signal });
  return Promise.all(
    tokens.map(async (ids, index) => {
      const found = markersIn(ids, reserved);
      if (found.length === 0) return ids;
      const pieces = cutApart(texts[index] ?? "", found);
      const parts = await scorer.tokenize(pieces.map(plain), { signal });
      const [left] = parts.flatMap((part) => markersIn(part, reserved));
      if (left !== undefined) {
        throw new OptioError("reserved_token", `The text contains ${JSON.stringify(left.text)}, which this model reserves.`);
      }
      return concatTokens(parts);
    }),
  );
}

function markersIn(ids: Int32Array, reserved: ReadonlyMap<number, ReservedToken>): readonly ReservedToken[] {
  const found = new Map<number, ReservedToken>();
  for (const id of ids) {
    const token = reserved.get(id);
    if (token !== undefined && marksSomething(token)) found.set(id, token);
  }
  return [...found.values()];
}

/** White space and single characters are ordinary text that a vocabulary happens to list as user-defined. */
function marksSomething({ kind, text }: ReservedToken): boolean {
  return kind === "control" || (kind === "user-defined" && text.trim() !== "" && [...text].length > 1);
}

/** Cuts the text behind the first character of every marker. */
function cutApart(text: string, markers: readonly ReservedToken[]): readonly string[] {
  const cuts = new Set<number>();
  for (const { text: marker } of markers) {
    const step = marker.codePointAt(0) !== undefined && (marker.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
    for (let at = text.indexOf(marker); at !== -1; at = text.indexOf(marker, at + 1)) cuts.add(at + step);
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
