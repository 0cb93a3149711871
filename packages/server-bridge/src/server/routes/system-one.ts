import type { EngineInfo } from "@optio/core";
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
      // Loads the usual model, so that it stands here by its own id.
      using _usual = await models.acquire(undefined, context.req.raw.signal);
      const all = models.list();
      return context.json({
        models: all.map(({ name, info }) => ({ name, description: describe(info), release_date: null })),
        // The same list as chat clients read it.
        object: "list",
        data: all.map(({ name }) => ({ id: name, object: "model", created: 0, owned_by: "optio" })),
      });
    });
}

function describe(info: EngineInfo | undefined): string {
  if (info === undefined) return "loaded when it is asked for";
  return [info.model.quantization, `${info.kind} ${info.backend}`].filter(Boolean).join(", ");
}
