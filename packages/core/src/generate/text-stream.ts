/** Makes text of tokens' bytes as soon as it is certain: not half a character, nor what may be the beginning of a stop text. */
export class TextStream {
  readonly #stops: readonly string[];
  readonly #decoder = new TextDecoder();
  #held = "";
  #stopped = false;

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== "");
  }

  /** Whether a stop text has come; what follows is dropped. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** The text that is certain now. */
  push(bytes: Uint8Array): string {
    return this.#take(this.#decoder.decode(bytes, { stream: true }), false);
  }

  /** The rest. */
  end(): string {
    return this.#take(this.#decoder.decode(), true);
  }

  #take(more: string, last: boolean): string {
    if (this.#stopped) return "";
    const text = this.#held + more;
    const at = Math.min(...this.#stops.map((stop) => text.indexOf(stop)).filter((found) => found >= 0));
    if (Number.isFinite(at)) {
      this.#stopped = true;
      this.#held = "";
      return text.slice(0, at);
    }
    const held = last ? 0 : Math.max(0, ...this.#stops.map((stop) => overlap(text, stop)));
    this.#held = text.slice(text.length - held);
    return text.slice(0, text.length - held);
  }
}

/** How much of the end of `text` could be the beginning of `stop`. */
function overlap(text: string, stop: string): number {
  for (let length = Math.min(text.length, stop.length - 1); length > 0; length--) {
    if (text.endsWith(stop.slice(0, length))) return length;
  }
  return 0;
}
