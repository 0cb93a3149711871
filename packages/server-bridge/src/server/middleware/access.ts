import { createHash, timingSafeEqual } from "node:crypto";
import { createMiddleware } from "hono/factory";
import { HttpError } from "../http-error.js";
import type { ServerEnv } from "../server-env.js";

export interface AccessSettings {
  /** Bearer keys; without any, everybody who reaches the server may use it. */
  readonly keys: readonly string[];
  /** Origins of pages that may use it. */
  readonly origins: readonly string[];
}

/**
 * Lets in who has a key. Pages of other origins are refused even without keys: a server on this machine must not work for
 * whatever page is open in its browser.
 */
export function access({ keys, origins }: AccessSettings) {
  const digests = keys.map(digestOf);
  return createMiddleware<ServerEnv>(async (context, next) => {
    const origin = context.req.header("origin");
    if (origin !== undefined && !origins.includes(origin)) {
      throw new HttpError(403, "forbidden_origin", `Pages of ${origin} may not use this server.`, {
        hint: "Allow them with --origin.",
      });
    }
    if (digests.length > 0 && !isKnown(context.req.header("authorization"), digests)) {
      throw new HttpError(401, "authentication_error", "The request has no valid key.", {
        hint: "Send `Authorization: Bearer <key>`.",
      });
    }
    await next();
  });
}

/** Compares with every key, so that the time tells neither which one nor how much of it was right. */
function isKnown(authorization: string | undefined, digests: readonly Buffer[]): boolean {
  const given = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
  if (given === undefined) return false;
  const digest = digestOf(given);
  return digests.map((known) => timingSafeEqual(known, digest)).includes(true);
}

function digestOf(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}
