import { OptioError } from "../errors.js";
import { nameOf } from "./check-text.js";
import type { Json } from "./question.js";

/** JSON whose objects are maps, so that keys keep the order of the text whatever they look like. */
export type OrderedJson = string | number | boolean | null | readonly OrderedJson[] | OrderedJsonObject;

/** A JSON object in the order of its text. */
export type OrderedJsonObject = ReadonlyMap<string, OrderedJson>;

/** Objects and lists that may stand inside each other. */
export const maxJsonDepth = 64;

/** Plain objects and lists of the same content; integer-like keys come first, as JavaScript has them. */
export function toPlainJson(value: OrderedJson): Json {
  if (isOrderedObject(value)) {
    return Object.fromEntries([...value].map(([key, item]) => [key, toPlainJson(item)]));
  }
  return isOrderedList(value) ? value.map(toPlainJson) : value;
}

/**
 * The same content with maps for objects; maps inside it stay as they are ordered. Undefined fields are left out.
 *
 * @throws OptioError `invalid_question` for what JSON cannot hold, or more than 64 levels.
 */
export function toOrderedJson(value: unknown, depth = 0): OrderedJson {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value !== "object") throw new OptioError("invalid_question", `${nameOf(value)} is not JSON.`);
  if (depth === maxJsonDepth) {
    throw new OptioError("invalid_question", `More than ${maxJsonDepth} objects and lists stand inside each other.`);
  }
  if (Array.isArray(value)) return value.map((item) => toOrderedJson(item, depth + 1));
  const entries: [string, unknown][] = value instanceof Map ? [...value] : Object.entries(value);
  return new Map(
    entries.filter(([, item]) => item !== undefined).map(([key, item]) => [key, toOrderedJson(item, depth + 1)]),
  );
}

/** Compact JSON text in the order of the value. */
export function writeJson(value: OrderedJson): string {
  if (isOrderedObject(value)) {
    return `{${[...value].map(([key, item]) => `${JSON.stringify(key)}:${writeJson(item)}`).join(",")}}`;
  }
  return isOrderedList(value) ? `[${value.map(writeJson).join(",")}]` : JSON.stringify(value);
}

function isOrderedObject(value: OrderedJson): value is OrderedJsonObject {
  return value instanceof Map;
}

function isOrderedList(value: OrderedJson): value is readonly OrderedJson[] {
  return Array.isArray(value);
}
