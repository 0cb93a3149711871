import { Hono } from "hono";
import { cors } from "hono/cors";
import type { Logger } from "pino";
import { errorBody, HttpError, toHttpError } from "./http-error.js";
import type { Metrics } from "./metrics.js";
import { type AccessSettings, access } from "./middleware/access.js";
import { requestId } from "./middleware/request-id.js";
import { traced } from "./middleware/trace.js";
import type { Models } from "./models.js";
import { openApiDocument } from "./openapi.js";
import type { Readiness } from "./readiness.js";
import { aboutRoutes } from "./routes/about.js";
import { chatRoutes } from "./routes/chat.js";
import { healthRoutes } from "./routes/health.js";
import { invocationRoutes } from "./routes/invocations.js";
import { systemOneRoutes } from "./routes/system-one.js";
import type { ServerEnv } from "./server-env.js";

export interface AppSettings {
  readonly models: Models;
  readonly readiness: Readiness;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly access: AccessSettings;
  readonly limits: { readonly maxBodyBytes: number; readonly maxQuestions: number };
  /** Milliseconds that a request may take, waiting included. */
  readonly timeoutMs: number;
  /** Whether the log has states and answers; default false. */
  readonly logContent?: boolean;
}

/** The server as a function from a request to a response: `createApp(settings).fetch` runs on Node, Bun and Deno. */
export function createApp(settings: AppSettings): Hono<ServerEnv> {
  const { log, metrics } = settings;
  const app = new Hono<ServerEnv>();

  app.use(requestId);
  app.use(traced(routeOf));
  app.use(async (context, next) => {
    const began = performance.now();
    const answered = metrics.request(routeOf(context.req.path));
    await next();
    const { status } = context.res;
    answered(status);
    const { method, path } = context.req;
    // Nothing of what was asked or answered: that is the business of those who ask. See `logContent`.
    log.info(
      { id: context.get("requestId"), method, path, status, ms: Math.round(performance.now() - began) },
      "request",
    );
  });
  app.use(cors({ origin: [...settings.access.origins], exposeHeaders: ["x-typesafe-request-id", "retry-after"] }));
  // Those who watch a server need no key; what they see says nothing about what is asked.
  app.route("/", healthRoutes(settings));
  app.route("/", aboutRoutes(settings));
  app.use(access(settings.access));
  app.route("/", invocationRoutes(settings));
  app.route("/", systemOneRoutes(settings));
  app.route("/", chatRoutes(settings));

  app.notFound((context) => {
    const error = new HttpError(404, "not_found", `There is no ${context.req.method} ${context.req.path} here.`);
    return context.json(errorBody(error, context.get("requestId")), 404);
  });
  app.onError((thrown, context) => {
    const error = toHttpError(thrown);
    const id = context.get("requestId");
    if (error.status >= 500) log.error({ id, err: error.cause ?? error }, error.message);
    if (error.retryAfterS !== undefined) context.header("retry-after", String(error.retryAfterS));
    return context.json(errorBody(error, id), error.status);
  });
  return app;
}

const known: ReadonlySet<string> = new Set(Object.keys(openApiDocument.paths));

/** The label of a path: what nobody serves must not fill the memory with labels. */
function routeOf(path: string): string {
  return known.has(path) ? path : "other";
}
