import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ServerType } from "@hono/node-server";

/** Milliseconds for a request that is on its way when the server is told to end. */
const graceMs = 500;
const sweepMs = 50;

/**
 * Watches a server's connections, so that it can end with them.
 *
 * @returns takes no more requests and waits for those that run, at most for `limitMs`. Connections without one are closed: kept
 *   open by a client for later, or opened without ever asking, they would keep the server.
 */
export function drainer(server: ServerType): (limitMs: number) => Promise<void> {
  const idle = new Set<Socket>();
  const all = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    all.add(socket);
    idle.add(socket);
    socket.once("close", () => {
      all.delete(socket);
      idle.delete(socket);
    });
  });
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    idle.delete(socket);
    response.once("close", () => {
      if (!socket.destroyed) idle.add(socket);
    });
  });

  return async (limitMs) => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    const began = performance.now();
    const sweep = setInterval(() => {
      const spent = performance.now() - began;
      if (spent < Math.min(graceMs, limitMs)) return;
      for (const socket of spent < limitMs ? idle : all) socket.destroy();
    }, sweepMs);
    await closed;
    clearInterval(sweep);
  };
}
