import { context as active, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { optioVersion } from "@optio/core";
import type { MiddlewareHandler } from "hono";
import type { ServerEnv } from "../server-env.js";

const tracer = trace.getTracer("@optio/server-bridge", optioVersion);

/**
 * A span for each request, in the trace that the client began, named and described by OpenTelemetry's conventions for HTTP. Does
 * nothing in a program that has not set OpenTelemetry up.
 *
 * @param routeOf the label of a path
 */
export function traced(routeOf: (path: string) => string): MiddlewareHandler<ServerEnv> {
  return (context, next) => {
    const { method, path } = context.req;
    const route = routeOf(path);
    const parent = propagation.extract(active.active(), context.req.header());
    const attributes = { "http.request.method": method, "http.route": route, "url.path": path };
    return tracer.startActiveSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent, async (span) => {
      try {
        await next();
        const { status } = context.res;
        span.setAttributes({ "http.response.status_code": status, "optio.request.id": context.get("requestId") });
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      } finally {
        span.end();
      }
    });
  };
}
