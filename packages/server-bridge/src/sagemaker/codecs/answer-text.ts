import { OptioError } from "@optio/core";
import { z } from "zod";

/** @throws OptioError `invalid_distribution` that says what does not fit */
export function readJsonText<S extends z.ZodType>(schema: S, text: string): z.infer<S> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new OptioError("invalid_distribution", "The endpoint's answer is not JSON.", { cause });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const why = z.prettifyError(parsed.error).split("\n")[0];
  throw new OptioError("invalid_distribution", `The endpoint's answer is not as its wire has it: ${why}`);
}
