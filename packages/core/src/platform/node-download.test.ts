import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CatalogueEntry } from "../store/catalogue.js";
import { createStore } from "../store/store.js";
import type { StorePlatform } from "../store/store-platform.js";
import { nodeStorePlatform } from "./node-store.js";

const model = Buffer.concat([Buffer.from("GGUF"), Buffer.alloc(200_000, "weights ")]);
const sha256 = createHash("sha256").update(model).digest("hex");

let folder: string;
let server: Server;
let origin: string;
let requests: IncomingMessage[];
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "optio-download-"));
  requests = [];
  server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

/** A store that knows one model, by size and hash. */
function publishedStore(platform: Partial<StorePlatform> = {}, sources: readonly string[] = ["/{file}"]) {
  const entry: CatalogueEntry = {
    id: "tiny",
    title: "Tiny",
    file: "tiny.gguf",
    bytes: model.length,
    sha256,
    hash: "read",
    licence: "MIT",
    sources: [],
    kind: "asked",
    engines: ["wasm"],
    contextTokens: 256,
  };
  return createStore(
    { ...nodeStorePlatform(folder), baseAddress: origin, ...platform },
    { catalogue: [entry], sources, attempts: 3, backOffMs: 1, stallMs: 500, progressMs: 5 },
  );
}

async function leavePart(bytes: Buffer): Promise<void> {
  await mkdir(join(folder, sha256));
  await writeFile(join(folder, sha256, "tiny.gguf.part"), bytes);
}

const partsLeft = async () => (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".part"));

function sendRange({ headers }: IncomingMessage, response: ServerResponse, contentRange?: string): void {
  const start = Number(/^bytes=(\d+)-/.exec(headers.range ?? "")?.[1] ?? 0);
  if (start === 0) {
    response.writeHead(200, { "content-length": model.length }).end(model);
    return;
  }
  const range = contentRange ?? `bytes ${start}-${model.length - 1}/${model.length}`;
  response.writeHead(206, { "content-range": range }).end(model.subarray(start));
}

describe("the download of a published model", () => {
  it("continues without a validator, since the hash decides", async () => {
    await leavePart(model.subarray(0, 50_000));
    answer = sendRange;
    const phases = new Set<string>();
    const stored = await publishedStore().get("tiny", { onProgress: ({ phase }) => phases.add(phase) });
    expect(stored).toMatchObject({ id: "tiny", sha256, trust: "published" });
    expect(requests.map(({ headers }) => headers.range)).toEqual(["bytes=50000-"]);
    expect([...phases]).toEqual(["verify", "download"]);
  });

  it("begins again when what an earlier run left belongs to another file", async () => {
    await leavePart(Buffer.concat([Buffer.from("GGUF"), Buffer.alloc(50_000, "other")]));
    answer = sendRange;
    expect((await publishedStore().get("tiny")).sha256).toBe(sha256);
    expect(requests.map(({ headers }) => headers.range)).toEqual(["bytes=50004-", undefined]);
  });

  it("begins again after a range that was not asked for", async () => {
    await leavePart(model.subarray(0, 50_000));
    answer = (request, response) => sendRange(request, response, `bytes 7-${model.length - 1}/${model.length}`);
    expect((await publishedStore().get("tiny")).sha256).toBe(sha256);
    expect(requests).toHaveLength(2);
  });

  it("asks for nothing when all bytes are there", async () => {
    await leavePart(model);
    answer = (_, response) => response.writeHead(500).end();
    expect((await publishedStore().get("tiny")).sha256).toBe(sha256);
    expect(requests).toHaveLength(0);
    expect(await partsLeft()).toEqual([]);
  });

  it("tries again after an answer that says to", async () => {
    answer = (request, response) => {
      if (requests.length < 3) response.writeHead(503, { "retry-after": "0" }).end();
      else sendRange(request, response);
    };
    expect((await publishedStore().get("tiny")).sha256).toBe(sha256);
    expect(requests).toHaveLength(3);
  });

  it("takes the next source when one has other bytes, and keeps none of those", async () => {
    const other = Buffer.from(model).fill("x", 100, 200);
    answer = (request, response) => {
      if (request.url === "/first") response.writeHead(200, { "content-length": other.length }).end(other);
      else sendRange(request, response);
    };
    const stored = await publishedStore({}, ["/first", "/second"]).get("tiny");
    expect(stored).toMatchObject({ sha256, source: `${origin}/second` });
    expect(await partsLeft()).toEqual([]);
  });

  it("does not take more than was published from a body without a length", async () => {
    let sent = 0;
    answer = (_, response) => {
      response.writeHead(200);
      const send = () => {
        sent += model.length;
        if (sent < 50 * model.length && response.write(model)) setImmediate(send);
        else response.once("drain", send);
      };
      send();
    };
    await expect(publishedStore().get("tiny")).rejects.toMatchObject({ code: "hash_mismatch" });
    expect(await partsLeft()).toEqual([]);
    expect(sent).toBeLessThan(50 * model.length);
  });

  it("asks for no byte when there is too little space, and says how much is missing", async () => {
    const files = { ...nodeStorePlatform(folder).files, freeBytes: async () => 1000 };
    await expect(publishedStore({ files }).get("tiny")).rejects.toMatchObject({
      code: "no_space",
      message: "tiny needs 200 kB more, and 1.00 kB are free",
      details: { neededBytes: model.length, freeBytes: 1000 },
    });
    expect(requests).toHaveLength(0);
  });

  it("tells how much of it is here", async () => {
    const store = publishedStore();
    expect(await store.status("tiny")).toEqual({ state: "absent", totalBytes: model.length });
    await leavePart(model.subarray(0, 7));
    expect(await store.status("tiny")).toEqual({ state: "partial", loadedBytes: 7, totalBytes: model.length });
    await store.remove("tiny");
    expect(await store.status("tiny")).toEqual({ state: "absent", totalBytes: model.length });
  });

  it("calls a stored file of the wrong size damaged, and replaces it", async () => {
    answer = sendRange;
    const store = publishedStore();
    await store.get("tiny");
    await writeFile(join(folder, sha256, "tiny.gguf"), model.subarray(0, 10));
    await expect(store.verify("tiny")).rejects.toMatchObject({ code: "hash_mismatch" });
    await store.get("tiny");
    await expect(store.verify("tiny")).resolves.toMatchObject({ sha256 });
  });
});

describe("the download of a file that nobody vouches for", () => {
  it("begins again after a break when the server names no version of the file", async () => {
    answer = (_, response) => {
      response.writeHead(200, { "content-length": model.length });
      if (requests.length > 1) response.end(model);
      else response.write(model.subarray(0, 100_000), () => response.destroy());
    };
    const stored = await publishedStore().get(`${origin}/own.gguf`);
    expect(stored).toMatchObject({ sha256 });
    expect(requests.map(({ headers }) => headers.range)).toEqual([undefined, undefined]);
  });
});
