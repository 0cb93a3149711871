/** A number that is written with a decimal point even when it is whole: strict clients refuse `1` where a probability belongs. */
export class Float {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** What `jsonText` writes: maps are objects in their own order, and fields that are `undefined` are left out. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | Float
  | readonly JsonValue[]
  | ReadonlyMap<string, JsonValue>
  | { readonly [key: string]: JsonValue };

/** Compact JSON text. */
export function jsonText(value: JsonValue): string {
  if (value === undefined) return "null";
  if (value instanceof Float) return floatText(value.value);
  if (value instanceof Map) return objectText([...value]);
  if (Array.isArray(value)) return `[${value.map(jsonText).join(",")}]`;
  if (typeof value === "object" && value !== null) return objectText(Object.entries(value));
  return JSON.stringify(value);
}

function objectText(entries: readonly (readonly [string, JsonValue])[]): string {
  const fields = entries
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${JSON.stringify(key)}:${jsonText(value)}`);
  return `{${fields.join(",")}}`;
}

function floatText(value: number): string {
  const text = JSON.stringify(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}
