import { z } from "zod";
import { OptioError } from "./errors.js";
import { readUntrusted } from "./read-untrusted.js";

/**
 * Checks an object of options as a caller without types may write it. Unknown fields are refused: a name that is misspelt would
 * otherwise change nothing, silently.
 *
 * @throws OptioError `invalid_setting` that names the field and what is allowed.
 */
export function checkOptions(schema: z.ZodType, options: unknown): void {
  const parsed = readUntrusted("invalid_setting", "The options", () => schema.safeParse(options));
  if (parsed.success) return;
  const [issue] = parsed.error.issues;
  const field = (issue?.path ?? []).map(String).join(".");
  throw new OptioError("invalid_setting", `${field === "" ? "The options" : field} ${issue?.message}.`, {
    details: { field },
  });
}

/** An object with exactly these fields, each of which may be missing. */
export function options<S extends z.core.$ZodLooseShape>(fields: S) {
  const optional = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, z.optional(field)]));
  return z.strictObject(optional, {
    error: (issue) => (issue.code === "unrecognized_keys" ? unknownFields(issue.keys) : "must be an object"),
  });
}

function unknownFields(names: readonly string[]): string {
  return names.length === 1 ? `have no field "${names[0]}"` : `have no fields "${names.join('", "')}"`;
}

const number = (what: string, isFine: (value: number) => boolean) =>
  z.custom<number>((value) => typeof value === "number" && isFine(value), { error: `must be ${what}` });

/** Both ends are allowed. */
export const within = (min: number, max: number) =>
  number(`a number from ${min} to ${max}`, (value) => value >= min && value <= max);

export const whole = (min: number, max: number) =>
  number(
    max === Number.MAX_SAFE_INTEGER ? `a whole number from ${min}` : `a whole number from ${min} to ${max}`,
    (value) => Number.isInteger(value) && value >= min && value <= max,
  );

export const oneOf = <T extends string | number>(values: readonly T[]) =>
  z.custom<T>((value) => values.includes(value as T), { error: `must be one of ${values.join(", ")}` });

export const flag = z.boolean({ error: "must be true or false" });
export const callback = z.custom<() => void>((value) => typeof value === "function", { error: "must be a function" });

/** An object with the given methods; who made it does not matter. */
export const having = (what: string, ...methods: readonly string[]) =>
  z.custom<object>(
    (value) =>
      typeof value === "object" &&
      value !== null &&
      methods.every((method) => typeof Reflect.get(value, method) === "function"),
    { error: `must be ${what}` },
  );

export const address = z.union([z.string(), z.instanceof(URL)], { error: "must be an address" });

const signal = having("an AbortSignal", "addEventListener", "throwIfAborted");
export const timeoutMs = number("more than 0", (value) => value > 0);

/** What every call takes that may take long. */
export const callFields = { signal, timeoutMs, onProgress: callback };
