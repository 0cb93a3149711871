import { join } from "node:path";
import { cache } from "./setup/places.mjs";

/** Ports tried after the wanted one, when that is taken. */
const tries = 20;

/**
 * Serves the built demo page and the models of the cache until the process ends.
 *
 * @param {number} port the wanted port, or the next free one
 */
export async function serveDemo(port) {
  const { serve } = await import("../packages/web-demo/dist-server/serve.js");
  for (let offset = 0; ; offset += 1) {
    try {
      const server = await serve({ port: port + offset, modelsDir: join(cache, "models") });
      process.stdout.write(`Demo page: ${server.url}   (Ctrl-C ends it)\n`);
      return server;
    } catch (error) {
      if (error.code !== "EADDRINUSE" || offset >= tries) throw error;
    }
  }
}
