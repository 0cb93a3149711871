import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { parseByteRange } from "./byte-range.js";

/** A model that may be handed out. */
export interface ServedModel {
  readonly id: string;
  /** File name, without folders. */
  readonly file: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** One line of the list at `/models/`. */
export interface ModelAvailability {
  readonly id: string;
  readonly file: string;
  readonly bytes: number;
  /** Whether the whole file lies in this machine's model store. */
  readonly available: boolean;
}

/**
 * Hands out files of the model store by their names. A request names a model, never a path, so nothing else of the disk can be reached.
 *
 * @param folder of the store: `<folder>/<sha256>/<file>`
 */
export function modelFiles(folder: string, models: readonly ServedModel[]) {
  const byFile = new Map(models.map((model) => [model.file, model]));
  const pathOf = (model: ServedModel): string => join(folder, model.sha256, model.file);
  const isComplete = async (model: ServedModel): Promise<boolean> => {
    const found = await stat(pathOf(model)).catch(() => undefined);
    return found?.isFile() === true && found.size === model.bytes;
  };

  return {
    list(): Promise<ModelAvailability[]> {
      return Promise.all(
        models.map(async (model) => {
          const { id, file, bytes } = model;
          return { id, file, bytes, available: await isComplete(model) };
        }),
      );
    },

    /** Answers a GET or HEAD for `file`, with one byte range if asked for. */
    async send(file: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
      const model = byFile.get(file);
      if (model === undefined || !(await isComplete(model))) {
        const reason =
          model === undefined ? "no such model" : `not on this machine; get it with: optio models pull ${model.id}`;
        response
          .writeHead(404, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" })
          .end(`${reason}\n`);
        return;
      }
      // The hash names the content, so this tag stays right whatever happens to the file's date.
      const etag = `"${model.sha256}"`;
      const ifRange = request.headers["if-range"];
      const wanted = ifRange === undefined || ifRange === etag ? request.headers.range : undefined;
      const range = parseByteRange(wanted, model.bytes);
      const headers = {
        "content-type": "application/octet-stream",
        "accept-ranges": "bytes",
        "cache-control": "no-cache",
        etag,
      };
      if (range === "unsatisfiable") {
        response.writeHead(416, { ...headers, "content-range": `bytes */${model.bytes}` }).end();
        return;
      }
      if (request.headers["if-none-match"] === etag) {
        response.writeHead(304, headers).end();
        return;
      }
      const { start, end } = range ?? { start: 0, end: model.bytes - 1 };
      const partial = range === undefined ? {} : { "content-range": `bytes ${start}-${end}/${model.bytes}` };
      response.writeHead(range === undefined ? 200 : 206, {
        ...headers,
        ...partial,
        "content-length": end - start + 1,
      });
      if (request.method === "HEAD") {
        response.end();
        return;
      }
      // A reader that leaves early is normal: a paused download.
      await pipeline(createReadStream(pathOf(model), { start, end }), response).catch(() => response.destroy());
    },
  };
}
