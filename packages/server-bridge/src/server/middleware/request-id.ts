import { randomUUID } from "node:crypto";
import { createMiddleware } from "hono/factory";
import type { ServerEnv } from "../server-env.js";

/** The name that System One's SDKs read. */
const header = "x-typesafe-request-id";

/** Gives every request an id of ours, in its answer and in the log. */
export const requestId = createMiddleware<ServerEnv>(async (context, next) => {
  const id = randomUUID();
  context.set("requestId", id);
  await next();
  context.header(header, id);
});
