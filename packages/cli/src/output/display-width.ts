const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Columns that a text takes on a terminal: wide East Asian characters and emoji take two. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

function graphemeWidth(grapheme: string): number {
  if (/^[\p{Mn}\p{Cf}\p{Cc}]+$/u.test(grapheme)) return 0;
  if (/\p{Emoji_Presentation}|\uFE0F/u.test(grapheme)) return 2;
  return /^[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]/u.test(
    grapheme,
  )
    ? 2
    : 1;
}

export function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}

export function padStart(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - displayWidth(text))) + text;
}

/** Lines of at most `width` columns, broken at spaces where possible; at least one line. */
export function wrap(text: string, width: number): string[] {
  const limit = Math.max(2, width);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/ +/u)) {
    const joined = line === "" ? word : `${line} ${word}`;
    if (displayWidth(joined) <= limit) {
      line = joined;
      continue;
    }
    if (line !== "") lines.push(line);
    const pieces = breakWord(word, limit);
    line = pieces.pop() ?? "";
    lines.push(...pieces);
  }
  lines.push(line);
  return lines;
}

function breakWord(word: string, limit: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  let width = 0;
  for (const { segment } of graphemes.segment(word)) {
    const next = graphemeWidth(segment);
    if (width + next > limit) {
      pieces.push(piece);
      piece = "";
      width = 0;
    }
    piece += segment;
    width += next;
  }
  pieces.push(piece);
  return pieces;
}
