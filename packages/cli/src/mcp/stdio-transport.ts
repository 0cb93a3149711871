import { ReadBuffer, serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { OptioError } from "@optio/core";
import type { Input, Output } from "../context.js";
import { untilAborted } from "../input/until-aborted.js";

/** Messages a line each, over the program's own streams. Unlike the SDK's, it notices that stdin has ended. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Resolves when the client has closed stdin, went away, or `close` was called. */
  readonly ended: Promise<void>;
  readonly #input: Input;
  readonly #output: Output;
  readonly #buffer = new ReadBuffer();
  readonly #ending = new AbortController();

  constructor(input: Input, output: Output) {
    this.#input = input;
    this.#output = output;
    const { signal } = this.#ending;
    this.ended = new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  async start(): Promise<void> {
    void this.#read();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#output.write(serializeMessage(message));
    if (this.#output.closed) await this.close();
  }

  async close(): Promise<void> {
    if (this.#ending.signal.aborted) return;
    this.#ending.abort();
    this.#buffer.clear();
    this.onclose?.();
  }

  async #read(): Promise<void> {
    try {
      for await (const chunk of untilAborted(this.#input.chunks(), this.#ending.signal)) {
        this.#buffer.append(Buffer.from(chunk));
        this.#deliver();
      }
    } catch (error) {
      if (!this.#ending.signal.aborted) this.onerror?.(OptioError.from(error));
    } finally {
      await this.close();
    }
  }

  /** A line that is no message is reported, and the next is read. */
  #deliver(): void {
    while (true) {
      try {
        const message = this.#buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        this.onerror?.(OptioError.from(error));
      }
    }
  }
}
