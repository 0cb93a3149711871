import { OptioError } from "@optio/core";
import type { ChatEvent } from "@optio/core/engines";
import type { OrderedJson } from "@optio/core/wire";
import { type Context, Hono } from "hono";
import { streamSSE } from "hono/streaming";
import type { AppSettings } from "../app.js";
import { errorBody, toHttpError } from "../http-error.js";
import { bodyText } from "../middleware/body-text.js";
import type { ServerEnv } from "../server-env.js";
import {
  type ChatCompletionRequest,
  type CompletionFacts,
  chatChunks,
  chatCompletion,
  chatCompletionRequest,
  openingChunk,
} from "../wire/chat.js";
import { type JsonValue, jsonText } from "../wire/json-text.js";
import { readBody } from "../wire/system-one.js";

/** `POST /v1/chat/completions`: what a chat client needs to move here by changing its address and its key. */
export function chatRoutes(settings: AppSettings): Hono<ServerEnv> {
  return new Hono<ServerEnv>().post("/v1/chat/completions", async (context) => {
    const text = await bodyText(context, settings.limits.maxBodyBytes, ["application/json"]);
    return answerChat(readBody(text), context, settings);
  });
}

/** A chat as a response: JSON, or a stream of events where the request asks for one. */
export async function answerChat(
  body: ReadonlyMap<string, OrderedJson>,
  context: Context<ServerEnv>,
  settings: AppSettings,
): Promise<Response> {
  const request = chatCompletionRequest(body);
  const { events, facts } = await startChat(request, context, settings);
  if (!request.stream) {
    return context.body(jsonText(await collect(events, request, facts)), 200, { "content-type": "application/json" });
  }
  // What can be refused is refused with a status of its own: the first event is there before the response begins.
  const first = await events.next();
  return streamSSE(context, async (stream) => {
    const send = (value: JsonValue) => stream.writeSSE({ data: jsonText(value) });
    try {
      await send(openingChunk(request, facts));
      for (let next = first; !next.done; next = await events.next()) {
        for (const chunk of chatChunks(next.value, request, facts)) await send(chunk);
      }
      await stream.writeSSE({ data: "[DONE]" });
    } catch (thrown) {
      const error = toHttpError(thrown);
      await stream.writeSSE({ data: JSON.stringify(errorBody(error, context.get("requestId"))) });
    } finally {
      await events.return(undefined);
    }
  });
}

/** A chat as JSON. */
export async function completeChat(
  body: ReadonlyMap<string, OrderedJson>,
  context: Context<ServerEnv>,
  settings: AppSettings,
): Promise<JsonValue> {
  const request = chatCompletionRequest(body);
  const { events, facts } = await startChat(request, context, settings);
  return collect(events, request, facts);
}

async function collect(
  events: AsyncIterable<ChatEvent>,
  request: ChatCompletionRequest,
  facts: CompletionFacts,
): Promise<JsonValue> {
  const all: ChatEvent[] = [];
  for await (const event of events) all.push(event);
  return chatCompletion(all, request, facts);
}

async function startChat(
  request: ChatCompletionRequest,
  context: Context<ServerEnv>,
  { models, metrics, timeoutMs }: AppSettings,
): Promise<{ readonly events: AsyncGenerator<ChatEvent>; readonly facts: CompletionFacts }> {
  const late = new AbortController();
  const timer = setTimeout(() => {
    late.abort(new OptioError("timeout", `The answer took longer than ${timeoutMs} ms.`, { details: { timeoutMs } }));
  }, timeoutMs);
  const signal = AbortSignal.any([context.req.raw.signal, late.signal]);
  try {
    const served = await models.acquire(request.model, signal);
    const { model, scorer } = served.info;
    return {
      events: counted(served.chat(request.chat, { signal, timeoutMs }), metrics, () => {
        clearTimeout(timer);
        served[Symbol.dispose]();
      }),
      facts: {
        id: `chatcmpl-${context.get("requestId")}`,
        model: model.id,
        created: Math.floor(Date.now() / 1000),
        fingerprint: [scorer?.llamaRelease, model.sha256?.slice(0, 12)].filter(Boolean).join("-"),
      },
    };
  } catch (error) {
    clearTimeout(timer);
    throw error;
  }
}

async function* counted(
  events: AsyncIterable<ChatEvent>,
  metrics: AppSettings["metrics"],
  onEnd: () => void,
): AsyncGenerator<ChatEvent> {
  try {
    for await (const event of events) {
      if (event.kind === "end") metrics.chat(event.usage);
      yield event;
    }
  } catch (error) {
    if (OptioError.isInstance(error, "engine_crashed")) metrics.crash();
    throw error;
  } finally {
    onEnd();
  }
}
