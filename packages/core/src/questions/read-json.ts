import { OptioError } from "../errors.js";
import { maxJsonDepth, type OrderedJson, type OrderedJsonObject } from "./ordered-json.js";

/**
 * Reads JSON text (RFC 8259) as `JSON.parse` does, except that objects become maps in the order of the text and that a
 * repeated key or a depth over 64 is an error.
 *
 * `JSON.parse` moves keys such as "2" to the front, which would reorder the options of a choice.
 *
 * @throws OptioError `invalid_question` with line and column.
 */
export function readJson(text: string): OrderedJson {
  return new JsonReader(text).read();
}

const blank = /[ \t\n\r]*/uy;
const numberToken = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/uy;
const wordToken = /true|false|null/uy;

class JsonReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): OrderedJson {
    const value = this.#value(0);
    this.#match(blank);
    if (this.#at < this.#text.length) throw this.#error("more text after the value");
    return value;
  }

  #value(depth: number): OrderedJson {
    this.#match(blank);
    const first = this.#text[this.#at];
    if (first === "{" || first === "[") {
      if (depth === maxJsonDepth) throw this.#error(`more than ${maxJsonDepth} objects and lists inside each other`);
      return first === "{" ? this.#object(depth + 1) : this.#list(depth + 1);
    }
    if (first === '"') return this.#string();
    const scalar = this.#match(numberToken) ?? this.#match(wordToken);
    if (scalar !== undefined) return JSON.parse(scalar) as number | boolean | null;
    throw this.#error(
      first === undefined ? "the end of the text where a value should be" : `an unexpected ${JSON.stringify(first)}`,
    );
  }

  #object(depth: number): OrderedJsonObject {
    const entries = new Map<string, OrderedJson>();
    this.#at++;
    if (this.#take("}")) return entries;
    do {
      this.#match(blank);
      const keyAt = this.#at;
      const key = this.#string();
      if (entries.has(key)) throw this.#error(`the key ${JSON.stringify(key)} a second time`, keyAt);
      if (!this.#take(":")) throw this.#error("no colon after the key");
      entries.set(key, this.#value(depth));
    } while (this.#take(","));
    if (!this.#take("}")) throw this.#error("neither a comma nor the end of the object");
    return entries;
  }

  #list(depth: number): readonly OrderedJson[] {
    const items: OrderedJson[] = [];
    this.#at++;
    if (this.#take("]")) return items;
    do items.push(this.#value(depth));
    while (this.#take(","));
    if (!this.#take("]")) throw this.#error("neither a comma nor the end of the list");
    return items;
  }

  #string(): string {
    const start = this.#at;
    if (this.#text[start] !== '"') throw this.#error("no key in double quotes");
    let end = start + 1;
    while (end < this.#text.length && this.#text[end] !== '"') end += this.#text[end] === "\\" ? 2 : 1;
    try {
      const value = JSON.parse(this.#text.slice(start, end + 1)) as string;
      this.#at = end + 1;
      return value;
    } catch {
      throw this.#error("text that is not closed or not escaped properly");
    }
  }

  #take(sign: string): boolean {
    this.#match(blank);
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  #match(token: RegExp): string | undefined {
    token.lastIndex = this.#at;
    const found = token.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #error(what: string, at = this.#at): OptioError {
    const before = this.#text.slice(0, at).split("\n");
    const line = before.length;
    const column = (before.at(-1)?.length ?? 0) + 1;
    return new OptioError("invalid_question", `The JSON has ${what} at line ${line}, column ${column}.`, {
      hint: "Correct the JSON at that place.",
      details: { line, column },
    });
  }
}
