import { optioVersion } from "@optio/core";
import { Hono } from "hono";
import type { AppSettings } from "../app.js";
import type { ServerEnv } from "../server-env.js";

/** `/healthz`: the process lives. `/readyz`, and `/ping` for SageMaker: it has decided once. `/metrics`: what it counted. */
export function healthRoutes({ readiness, models, metrics }: AppSettings): Hono<ServerEnv> {
  return new Hono<ServerEnv>()
    .get("/healthz", (context) => context.json({ status: "ok", version: optioVersion }))
    .get("/readyz", (context) => {
      if (readiness.ready)
        return context.json({ status: "ready", models: models.loaded().map(({ model }) => model.id) });
      context.header("retry-after", "1");
      return context.json({ status: readiness.failure === undefined ? "starting" : "failed" }, 503);
    })
    .get("/ping", (context) => context.body(null, readiness.ready ? 200 : 503))
    .get("/metrics", async (context) =>
      context.body(await metrics.text(), 200, { "content-type": metrics.contentType }),
    );
}
