import type { OptioError } from "@optio/core";
import type { Output } from "../context.js";

/** One JSON document, indented for readers as well as for programs. */
export function writeJson(output: Output, value: object): Promise<void> {
  return output.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** One JSON value on one line. */
export function writeJsonLine(output: Output, value: object): Promise<void> {
  return output.write(`${JSON.stringify(value)}\n`);
}

/** An error as `--json` and JSONL show it. */
export interface ErrorJson {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly details?: Readonly<Record<string, string | number | boolean>>;
  readonly cause?: string;
}

export function errorJson(error: OptioError): ErrorJson {
  const { code, message, hint, details, cause } = error.toWire();
  const rest = Object.keys(details).length === 0 ? {} : { details };
  return { code, message, hint, ...rest, ...(cause === undefined ? {} : { cause }) };
}
