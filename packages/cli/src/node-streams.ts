import { createInterface } from "node:readline/promises";
import type { Input, Output } from "./context.js";

export function nodeInput(stream: NodeJS.ReadStream): Input {
  return { isTerminal: stream.isTTY === true, chunks: () => stream };
}

/** Writes to a stream at its own pace; a reader that goes away is no error. */
export function nodeOutput(stream: NodeJS.WriteStream): Output {
  let closed = false;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    closed = true;
    // Anything but a reader that went away, a full disk for example, must not pass unnoticed.
    if (error.code !== "EPIPE") process.exitCode = 1;
  });
  return {
    get isTerminal() {
      return stream.isTTY === true;
    },
    get columns() {
      return stream.columns;
    },
    get closed() {
      return closed;
    },
    write(text) {
      if (closed) return Promise.resolve();
      return new Promise((resolve) => {
        stream.write(text, () => resolve());
      });
    },
  };
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
