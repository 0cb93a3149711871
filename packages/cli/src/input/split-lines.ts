import { OptioError } from "@optio/core";

export interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

/** The lines of UTF-8 text as they arrive, without their ends, a byte order mark and blank lines. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder();
  let rest = "";
  let number = 0;
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      number++;
      if (line.trim() !== "") yield { number, text: line.replace(/\r$/u, "") };
    }
  }
  rest += decoder.decode();
  if (rest.trim() !== "") yield { number: number + 1, text: rest };
}

/** All of a stream as text. Invalid UTF-8 is refused rather than replaced. */
export async function readText(chunks: AsyncIterable<Uint8Array>, what: string): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts));
  } catch (cause) {
    throw new OptioError("invalid_state", `${what} is not UTF-8 text.`, { cause, hint: "Convert it to UTF-8 first." });
  }
}
