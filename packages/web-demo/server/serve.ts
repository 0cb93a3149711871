import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { catalogue } from "@optio/core";
import sirv from "sirv";
import { defaultModelsDir } from "./default-models-dir.js";
import { cacheControl, securityHeaders } from "./headers.js";
import { modelFiles, type ServedModel } from "./model-files.js";

export { defaultModelsDir } from "./default-models-dir.js";
export type { ModelAvailability, ServedModel } from "./model-files.js";

export interface ServeOptions {
  /** 0 takes any free one. */
  readonly port: number;
  /** Default `127.0.0.1`: only this machine. */
  readonly host?: string;
  /** Cross-origin isolation, which threads need. Default true. */
  readonly isolate?: boolean;
  /** The models that may be handed out. Default: the catalogue's. */
  readonly models?: readonly ServedModel[];
  /** Folder of the model store. Default: see `defaultModelsDir`. */
  readonly modelsDir?: string;
  /** Folder of the built page. Default: that of this package. */
  readonly distDir?: string;
}

export interface RunningServer {
  /** Address of the page, with a slash at its end. */
  readonly url: string;
  /** Ends open connections too; safe to call twice. */
  close(): Promise<void>;
}

/**
 * Serves the demo page and the models of this machine's store.
 *
 * Rejects with the system's error when the port is taken (`EADDRINUSE`) or not allowed.
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { port, host = "127.0.0.1", isolate = true, models = catalogue } = options;
  const distDir = options.distDir ?? fileURLToPath(new URL("../dist", import.meta.url));
  const weights = modelFiles(options.modelsDir ?? defaultModelsDir(), models);
  const headers = securityHeaders(isolate);
  const page = sirv(distDir, {
    etag: true,
    setHeaders: (response, pathname) => response.setHeader("cache-control", cacheControl(pathname)),
  });

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.writeHead(405, { allow: "GET, HEAD" }).end();
      return;
    }
    const path = pathOf(request.url ?? "/");
    if (path === undefined) sendText(response, 400, "The address is not valid.");
    else if (path === "/healthz") sendText(response, 200, "ok");
    else if (path === "/models/") sendJson(response, await weights.list());
    else if (path.startsWith("/models/")) await weights.send(path.slice("/models/".length), request, response);
    else page(request, response, () => sendText(response, 404, "There is nothing at this address."));
  };

  const server = createServer((request, response) => {
    answer(request, response).catch(() => {
      if (response.headersSent) response.destroy();
      else sendText(response, 500, "The server failed.");
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const { address, family, port: actual } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${actual}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The decoded path; `undefined` when it cannot be decoded or holds a zero byte. */
function pathOf(target: string): string | undefined {
  try {
    const path = decodeURIComponent(new URL(target, "http://host").pathname);
    return path.includes("\0") ? undefined : path;
  } catch {
    return undefined;
  }
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" })
    .end(`${text}\n`);
}

function sendJson(response: ServerResponse, value: unknown): void {
  response
    .writeHead(200, { "content-type": "application/json", "cache-control": "no-store" })
    .end(JSON.stringify(value));
}
