import { createInterface } from "node:readline/promises";
import { OptioError } from "@optio/core";
import type { Input, Output } from "./context.js";

export function nodeInput(stream: NodeJS.ReadStream): Input {
  return { isTerminal: stream.isTTY === true, chunks: () => stream, close: () => void stream.destroy() };
}

/** Columns of a terminal that does not say how wide it is. */
const usualColumns = 80;

/**
 * Writes to a stream at its own pace. A reader that goes away, as `head` does, is no error.
 *
 * @param loses whether text may be lost when the stream cannot take it: true for stderr, false for data.
 */
export function nodeOutput(stream: NodeJS.WriteStream, { loses }: { readonly loses: boolean }): Output {
  let closed = false;
  // Without a listener the process would end at the first failed write; `write` reports what matters.
  stream.on("error", () => {
    closed = true;
  });
  return {
    get isTerminal() {
      return stream.isTTY === true;
    },
    get columns() {
      return stream.columns > 0 ? stream.columns : usualColumns;
    },
    get closed() {
      return closed;
    },
    write(text) {
      if (closed) return Promise.resolve();
      return new Promise((resolve, reject) => {
        stream.write(text, (error) => {
          if (error == null || loses || ("code" in error && error.code === "EPIPE")) resolve();
          else reject(unwritable(error));
        });
      });
    },
  };
}

function unwritable(cause: Error): OptioError {
  return new OptioError("internal", `The output could not be written: ${cause.message}.`, {
    cause,
    hint: "Check where stdout goes to: the disk may be full.",
  });
}

/** Asks on the terminal; anything but a clear yes is a no. */
export async function askOnTerminal(question: string): Promise<boolean> {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await prompt.question(`${question} [y/N] `);
    return /^y(es)?$/iu.test(answer.trim());
  } finally {
    prompt.close();
  }
}
