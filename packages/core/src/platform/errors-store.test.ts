import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FileServer } from "../../test/file-server.js";
import { OptioError } from "../errors.js";
import type { CatalogueEntry } from "../store/catalogue.js";
import { createStore } from "../store/store.js";
import { openModelFile } from "./node-files.js";
import { nodeLock } from "./node-lock.js";
import { nodeStorePlatform } from "./node-store.js";

// Each failure of the store from a real folder and a real server.
const hint = expect.stringMatching(/^[`A-Z].{15,}[.)]$/u);
const model = Buffer.concat([Buffer.from("GGUF"), Buffer.alloc(50_000, "weights ")]);
const sha256 = createHash("sha256").update(model).digest("hex");

let folder: string;
let server: FileServer;
let address: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "optio-errors-"));
  server = await FileServer.start({ bytes: model, etag: '"one"' });
  address = `${server.origin}/tiny.gguf`;
});

afterEach(async () => {
  server.stop();
  await rm(folder, { recursive: true });
});

/** A store that knows one model by size and hash, and has it from the server. */
function storeIn(root: string, published: Partial<CatalogueEntry> = {}) {
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
    ...published,
  };
  const settings = { catalogue: [entry], attempts: 1, backOffMs: 1, stallMs: 100 };
  return createStore(nodeStorePlatform(root), { ...settings, sources: [`${server.origin}/{file}`] });
}

async function failure(work: () => unknown): Promise<OptioError> {
  const error = await Promise.resolve()
    .then(work)
    .then(
      () => expect.fail("no error"),
      (reason: unknown) => reason,
    );
  if (!OptioError.isInstance(error)) throw expect.fail(`no OptioError: ${String(error)}`);
  return error;
}

describe("what cannot be got", () => {
  it("a name that nobody knows, a path without a file, an address that is none, what is not stored", async () => {
    const store = storeIn(folder);
    for (const work of [
      () => store.get("tinny"),
      () => store.get(join(folder, "none.gguf")),
      () => store.get("ftp://example.org/tiny.gguf"),
      () => store.get(""),
      () => store.get(undefined),
      () => store.get("file://host/tiny.gguf"),
      () => store.get("file:///a%2Fb.gguf"),
      () => store.add("file:///%zz.gguf"),
      () => store.verify("tiny"),
      () => store.remove("tiny"),
    ]) {
      expect(await failure(work)).toMatchObject({ code: "model_not_found", hint });
    }
    expect(server.requests).toEqual([]);
  });

  it("a file that is no GGUF, from a path or from a server", async () => {
    const page = join(folder, "page.gguf");
    await writeFile(page, "<!doctype html>");
    server.file = { bytes: Buffer.from("<!doctype html>") };
    for (const reference of [page, address]) {
      expect(await failure(() => storeIn(folder).get(reference))).toMatchObject({ code: "model_invalid", hint });
    }
  });

  it.each([404, 403, 500])("a file that a server answers with %d", async (status) => {
    server.faults = [{ kind: "status", status }];
    const error = await failure(() => storeIn(folder).get(address));
    expect(error).toMatchObject({ code: "download_failed", hint, message: expect.stringContaining(String(status)) });
  });

  it("a file whose connection breaks", async () => {
    server.faults = [{ kind: "cut", after: 1_000 }];
    expect(await failure(() => storeIn(folder).get(address))).toMatchObject({ code: "download_failed", hint });
  });

  it("a file from a host that is not there, with the network's own error as the cause", async () => {
    const store = storeIn(folder);
    server.stop();
    const error = await failure(() => store.get(address));
    expect(error).toMatchObject({ code: "download_failed", hint });
    expect(error.cause).toBeInstanceOf(Error);
  });

  it("a file that stops coming", async () => {
    server.faults = [{ kind: "stall", after: 1_000 }];
    const error = await failure(() => storeIn(folder).get(address));
    expect(error).toMatchObject({ code: "download_stalled", hint, details: { keptBytes: 1_000 } });
  });

  it("other bytes than those that were published, of which nothing stays", async () => {
    server.file = { bytes: Buffer.from(model).fill("x", 100, 200) };
    expect(await failure(() => storeIn(folder).get("tiny"))).toMatchObject({ code: "hash_mismatch", hint });
    const left = await readdir(folder, { recursive: true });
    expect(left.filter((name) => name.includes("tiny"))).toEqual([]);
  });

  it("bytes that changed where they are kept", async () => {
    const store = storeIn(folder);
    await store.get("tiny");
    await writeFile(join(folder, sha256, "tiny.gguf"), Buffer.from(model).fill("x", 100, 200));
    expect(await failure(() => store.verify("tiny"))).toMatchObject({ code: "hash_mismatch", hint });
  });
});

describe("where models are kept", () => {
  it("has less space than a model needs, and no byte is asked for", async () => {
    const huge = storeIn(folder, { bytes: Number.MAX_SAFE_INTEGER });
    const error = await failure(() => huge.get("tiny"));
    expect(error).toMatchObject({ code: "no_space", hint, details: { neededBytes: Number.MAX_SAFE_INTEGER } });
    expect(server.requests).toEqual([]);
  });

  it.runIf(existsSync("/dev/full"))("is full, which is told rather than that the file cannot be closed", async () => {
    await mkdir(join(folder, sha256), { recursive: true });
    await symlink("/dev/full", join(folder, sha256, "tiny.gguf.part"));
    expect(await failure(() => storeIn(folder).get("tiny"))).toMatchObject({ code: "no_space", hint });
  });

  it.runIf(existsSync("/dev/full"))("is full, which only the write tells", async () => {
    await symlink("/dev/full", join(folder, "tiny.gguf.part"));
    const file = await nodeStorePlatform(folder).files.append("tiny.gguf.part", 0);
    const error = await failure(() => file.write(model));
    expect(error).toMatchObject({ code: "no_space", hint, cause: { code: "ENOSPC" } });
    // A device cannot be synchronised.
    expect(await failure(() => file.close())).toMatchObject({ code: "store_failed", hint, cause: { code: "EINVAL" } });
  });

  it("is being worked on by somebody else", async () => {
    await storeIn(folder).get("tiny");
    const other = await nodeLock(folder).hold(sha256, {});
    try {
      const error = await failure(() => storeIn(folder).remove("tiny"));
      expect(error).toMatchObject({ code: "store_busy", hint, details: { pid: process.pid } });
    } finally {
      await other.release();
    }
    await expect(storeIn(folder).remove("tiny")).resolves.toMatchObject({ id: "tiny" });
  });

  it("is a file instead of a folder", async () => {
    const file = join(folder, "file");
    await writeFile(file, "");
    const error = await failure(() => storeIn(join(file, "models")).get(address));
    expect(error).toMatchObject({ code: "store_failed", hint, cause: { code: "ENOTDIR" } });
  });

  it("has a file in the place of the folder of locks", async () => {
    await writeFile(join(folder, "locks"), "");
    const error = await failure(() => storeIn(folder).get("tiny"));
    expect(error).toMatchObject({ code: "store_failed", hint });
    expect(error.cause).toBeInstanceOf(Error);
  });

  it("has a folder in the place of a model's file", async () => {
    await mkdir(join(folder, sha256, "tiny.gguf.part"), { recursive: true });
    expect(await failure(() => storeIn(folder).get("tiny"))).toMatchObject({ code: "store_failed", hint });
  });

  it("has lost a model between its store and its reader", async () => {
    const { file } = await storeIn(folder).get("tiny");
    await rm(join(folder, sha256), { recursive: true });
    const error = await failure(() => openModelFile(file));
    expect(error).toMatchObject({ code: "store_failed", hint, cause: { code: "ENOENT" } });
  });
});
