import type { Context } from "hono";
import { HttpError } from "../http-error.js";

/** The type of a request's body, without parameters. */
export function mediaType(context: Context): string {
  return context.req.header("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
}

/**
 * A request's body as text.
 *
 * @throws HttpError 413 when it is longer than allowed, 415 for other types than `types`, 400 when it is not UTF-8
 */
export async function bodyText(context: Context, maxBytes: number, types: readonly string[]): Promise<string> {
  // A type that no form can send: pages of other origins must ask first.
  if (!types.includes(mediaType(context))) {
    throw new HttpError(415, "unsupported_media_type", `The body must be ${types.join(" or ")}.`);
  }
  const tooLong = () => new HttpError(413, "request_too_large", `The body is longer than ${maxBytes} bytes.`);
  if (Number(context.req.header("content-length") ?? 0) > maxBytes) throw tooLong();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of context.req.raw.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLong();
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new HttpError(400, "invalid_json", "The body is not UTF-8.", { cause });
  }
}
