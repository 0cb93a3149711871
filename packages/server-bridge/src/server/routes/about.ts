import { optioVersion } from "@optio/core";
import { Hono } from "hono";
import { html } from "hono/html";
import type { AppSettings } from "../app.js";
import { openApiDocument } from "../openapi.js";
import type { ServerEnv } from "../server-env.js";

/** `/`: what runs here, for people. `/openapi.json`: the same for programs. Neither says anything about what is asked. */
export function aboutRoutes({ models, readiness }: AppSettings): Hono<ServerEnv> {
  return new Hono<ServerEnv>()
    .get("/openapi.json", (context) => context.json(openApiDocument))
    .get("/", (context) => {
      // The page runs no script and loads nothing.
      context.header(
        "content-security-policy",
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      );
      context.header("x-content-type-options", "nosniff");
      const [info] = models.loaded();
      const state = readiness.ready ? "ready" : readiness.failure === undefined ? "starting" : "failed: see the log";
      const facts: readonly (readonly [string, string])[] = [
        ["version", optioVersion],
        ["state", state],
        [
          "model",
          info === undefined ? "none yet" : [info.model.id, info.model.quantization].filter(Boolean).join(", "),
        ],
        ["engine", info === undefined ? "none yet" : `${info.kind} ${info.backend}`],
        ["context", info?.contextTokens === undefined ? "unknown" : `${info.contextTokens} tokens`],
      ];
      return context.html(html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>optio serve</title>
    <style>
      :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
      body { max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
      h1 { font-size: 1.5rem; }
      h2 { font-size: 1.1rem; margin-top: 2rem; }
      dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1.5rem; }
      dt { opacity: 0.7; }
      dd { margin: 0; overflow-wrap: anywhere; }
      pre { overflow-x: auto; padding: 1rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: 0.5rem; }
      table { border-collapse: collapse; }
      td { padding: 0.2rem 1.5rem 0.2rem 0; vertical-align: top; }
    </style>
  </head>
  <body>
    <h1>optio serve</h1>
    <p>Typed decisions from a small language model: the probability of each declared option.</p>
    <dl>
      ${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}
    </dl>
    <h2>Ask it</h2>
    <pre><code>curl ${new URL(context.req.url).origin}/v1/systemone \\
  -H 'content-type: application/json' -d '{
  "state": "I was charged twice.",
  "questions": { "angry": { "type": "noul", "instructions": "Is the customer angry?" } }
}'</code></pre>
    <h2>What there is</h2>
    <table>
      ${Object.entries(openApiDocument.paths).map(([path, operations]) => {
        const [method = "", { summary }] = Object.entries(operations)[0] as [string, { readonly summary: string }];
        return html`<tr><td><code>${method.toUpperCase()} ${path}</code></td><td>${summary}</td></tr>`;
      })}
    </table>
    <p>The whole interface: <a href="/openapi.json">openapi.json</a>.</p>
  </body>
</html>`);
    });
}
