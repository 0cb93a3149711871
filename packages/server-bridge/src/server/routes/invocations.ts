import type { OrderedJson } from "@optio/core/wire";
import { type Context, Hono } from "hono";
import type { AppSettings } from "../app.js";
import { decideRequest } from "../decide-request.js";
import { errorBody, HttpError, toHttpError } from "../http-error.js";
import { bodyText, mediaType } from "../middleware/body-text.js";
import type { ServerEnv } from "../server-env.js";
import { type JsonValue, jsonText } from "../wire/json-text.js";
import { isSemif, semifRequest, semifResponse } from "../wire/semif.js";
import { readBody, systemOneRequest, systemOneResponse } from "../wire/system-one.js";
import { answerChat, completeChat } from "./chat.js";

const jsonLines = ["application/jsonlines", "application/x-jsonlines", "application/jsonl"];
const customAttributes = "x-amzn-sagemaker-custom-attributes";

/** `POST /invocations`, with which a SageMaker container is asked (`GET /ping` is in health.ts). The shape of a body tells its wire. */
export function invocationRoutes(settings: AppSettings): Hono<ServerEnv> {
  return new Hono<ServerEnv>().post("/invocations", async (context) => {
    const attributes = context.req.header(customAttributes);
    if (attributes !== undefined) context.header(customAttributes, attributes);
    const text = await bodyText(context, settings.limits.maxBodyBytes, ["application/json", ...jsonLines]);
    if (jsonLines.includes(mediaType(context))) return lines(text, context, settings);
    const body = readBody(text);
    if (isChat(body)) return answerChat(body, context, settings);
    return context.body(jsonText(await answer(body, context, settings)), 200, { "content-type": "application/json" });
  });
}

type Body = ReadonlyMap<string, OrderedJson>;

const isChat = (body: Body): boolean => body.has("messages") && !body.has("questions") && !isSemif(body);

async function answer(body: Body, context: Context<ServerEnv>, settings: AppSettings): Promise<JsonValue> {
  const { signal } = context.req.raw;
  if (isSemif(body)) {
    const request = semifRequest(body);
    const { decision, served } = await decideRequest(request, settings, signal);
    return semifResponse(decision, request, served.info);
  }
  if (body.has("questions")) {
    const { decision, served } = await decideRequest(systemOneRequest(body, settings.limits), settings, signal);
    return systemOneResponse(decision, { engine: served.info, requestId: context.get("requestId") });
  }
  if (isChat(body)) return completeChat(body, context, settings);
  throw new HttpError(400, "invalid_request", "The body has no `questions`, `decision`, `decisions` or `messages`.");
}

/** Batch transform: a request a line, an answer or an error a line, in order. */
async function lines(text: string, context: Context<ServerEnv>, settings: AppSettings): Promise<Response> {
  const answers: string[] = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    try {
      answers.push(jsonText(await answer(readBody(line), context, settings)));
    } catch (error) {
      if (context.req.raw.signal.aborted) throw error;
      answers.push(JSON.stringify(errorBody(toHttpError(error), context.get("requestId"))));
    }
  }
  return context.body(`${answers.join("\n")}\n`, 200, { "content-type": "application/jsonlines" });
}
