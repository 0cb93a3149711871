import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext } from "@playwright/test";

/** A proxy that lets nothing through and remembers what was asked of it. */
export interface OutsideProxy {
  readonly address: string;
  /** What was asked for since the last call. */
  take(): readonly string[];
  close(): Promise<void>;
}

/** Hosts that Chromium itself asks, whatever page is open; no page of ours has a reason to. */
const browsersOwn = new Set([
  "accounts.google.com",
  "android.clients.google.com",
  "clients2.google.com",
  "content-autofill.googleapis.com",
  "edgedl.me.gvt1.com",
  "optimizationguide-pa.googleapis.com",
  "redirector.gvt1.com",
  "safebrowsing.googleapis.com",
  "update.googleapis.com",
  "www.google.com",
]);

/**
 * Everything a browser asks of other hosts arrives here, from whichever page, worker or service worker it comes:
 * Playwright's own request events do not cover all of those.
 */
export async function startOutsideProxy(): Promise<OutsideProxy> {
  let seen: string[] = [];
  const note = (host: string, what: string) => {
    if (!browsersOwn.has(host)) seen.push(what);
  };
  const server = createServer((request, response) => {
    const url = request.url ?? "?";
    note(URL.canParse(url) ? new URL(url).hostname : "", url);
    response.writeHead(502).end();
  });
  server.on("connect", (request, socket) => {
    note(request.url?.split(":")[0] ?? "", `CONNECT ${request.url}`);
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    take: () => {
      const taken = seen;
      seen = [];
      return taken;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Collects addresses outside `origin` that the context's pages, workers and service workers ask for. */
export function watchRequests(context: BrowserContext, origin: string): readonly string[] {
  const foreign: string[] = [];
  context.on("request", (request) => {
    const url = new URL(request.url());
    const own =
      url.protocol === "data:" || url.origin === origin || (url.protocol === "blob:" && url.origin === origin);
    if (!own) foreign.push(request.url());
  });
  return foreign;
}
