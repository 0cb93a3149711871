import { Hono } from "hono";
import type { AppSettings } from "../app.js";
import { decideRequest } from "../decide-request.js";
import { bodyText } from "../middleware/body-text.js";
import type { ServerEnv } from "../server-env.js";
import { jsonText } from "../wire/json-text.js";
import { readSystemOne, systemOneResponse } from "../wire/system-one.js";

/** `POST /v1/systemone` and `GET /v1/models`. */
export function systemOneRoutes(settings: AppSettings): Hono<ServerEnv> {
  const { models, limits } = settings;
  return new Hono<ServerEnv>()
    .post("/v1/systemone", async (context) => {
      const request = readSystemOne(await bodyText(context, limits.maxBodyBytes, ["application/json"]), limits);
      const { decision, served } = await decideRequest(request, settings, context.req.raw.signal);
      const facts = { engine: served.info, requestId: context.get("requestId") };
      return context.body(jsonText(systemOneResponse(decision, facts)), 200, { "content-type": "application/json" });
    })
    .get("/v1/models", async (context) => {
      const { info } = await models.get(undefined, context.req.raw.signal);
      const { id, quantization } = info.model;
      const description = [quantization, `${info.kind} ${info.backend}`].filter(Boolean).join(", ");
      return context.json({
        models: [{ name: id, description, release_date: null }],
        // The same list as chat clients read it.
        object: "list",
        data: [{ id, object: "model", created: 0, owned_by: "optio" }],
      });
    });
}
