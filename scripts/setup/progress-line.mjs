/** Where a step shows how far it is: one line that is rewritten on a terminal, now and then a new line elsewhere. */
export class ProgressLine {
  #stream;
  #live;
  #prefix = "";
  #text = "";
  #started = 0;
  #printed = 0;
  #timer;

  /** @param {{ isTTY?: boolean, columns?: number, write(text: string): unknown }} stream */
  constructor(stream = process.stderr) {
    this.#stream = stream;
    this.#live = stream.isTTY === true;
  }

  begin(prefix) {
    this.#prefix = prefix;
    this.#text = "";
    this.#started = Date.now();
    this.#printed = this.#started;
    if (this.#live) {
      this.#draw();
      this.#timer = setInterval(() => this.#draw(), 500);
    } else {
      this.#stream.write(`${prefix} ...\n`);
    }
  }

  say(text) {
    this.#text = text.trim();
    if (!this.#live && Date.now() - this.#printed >= 10_000) {
      this.#printed = Date.now();
      this.#stream.write(`    ${seconds(Date.now() - this.#started)}  ${this.#text}\n`);
    }
  }

  end(word) {
    clearInterval(this.#timer);
    if (this.#live) this.#stream.write("\r\u001b[2K");
    this.#stream.write(`${this.#prefix}: ${word} (${seconds(Date.now() - this.#started)})\n`);
  }

  /** Leaves the terminal as it found it when the process ends in the middle. */
  abandon() {
    clearInterval(this.#timer);
    if (this.#live) this.#stream.write("\n");
  }

  #draw() {
    const line = `${this.#prefix} ... ${seconds(Date.now() - this.#started)}  ${this.#text}`;
    this.#stream.write(`\r\u001b[2K${line.slice(0, (this.#stream.columns ?? 80) - 1)}`);
  }
}

export function seconds(milliseconds) {
  return milliseconds < 9950 ? `${(milliseconds / 1000).toFixed(1)} s` : `${Math.round(milliseconds / 1000)} s`;
}
