import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Fault, FileServer, type ServedFile } from "../../test/file-server.js";
import { OptioError } from "../errors.js";
import type { CatalogueEntry } from "../store/catalogue.js";
import type { StoreSettings } from "../store/model-store.js";
import { createStore } from "../store/store.js";
import type { StorePlatform, StoreProgress } from "../store/store-platform.js";
import { nodeStorePlatform } from "./node-store.js";

const modelOf = (text: string, length: number) => Buffer.concat([Buffer.from("GGUF"), Buffer.alloc(length, text)]);
const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

const model = modelOf("weights ", 300_000);
const one: ServedFile = { bytes: model, etag: '"one"' };
const two: ServedFile = { bytes: modelOf("other ", 250_000), etag: '"two"' };

let folder: string;
let server: FileServer;
let address: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "optio-faults-"));
  server = await FileServer.start(one);
  address = `${server.origin}/model.gguf`;
});

afterEach(async () => {
  server.stop();
  await rm(folder, { recursive: true });
});

function storeIn(root: string, settings: Partial<StoreSettings> = {}, platform: Partial<StorePlatform> = {}) {
  return createStore(
    { ...nodeStorePlatform(root), ...platform },
    { catalogue: [], attempts: 3, backOffMs: 1, stallMs: 300, progressMs: 1, ...settings },
  );
}

const store = (settings?: Partial<StoreSettings>) => storeIn(folder, settings);

const partsLeft = async () => (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".part"));

/** A signal that aborts once `bytes` have been seen to arrive. */
function abortAt(bytes: number, reason: unknown) {
  const controller = new AbortController();
  const onProgress = (progress: StoreProgress) => {
    if (progress.phase === "download" && progress.loaded >= bytes) controller.abort(reason);
  };
  return { signal: controller.signal, onProgress };
}

const failure = (call: Promise<unknown>) => call.then(() => expect.fail("no error"), OptioError.from);
const shownBy = (error: OptioError) => JSON.stringify(error.toWire());

const published = (bytes: Buffer): CatalogueEntry => ({
  id: "tiny",
  title: "Tiny",
  file: "tiny.gguf",
  bytes: bytes.length,
  sha256: hash(bytes),
  hash: "read",
  licence: "MIT",
  sources: [{ kind: "hub", repo: "o/r", revision: "0".repeat(40), file: "tiny.gguf" }],
  kind: "asked",
  engines: ["wasm"],
  contextTokens: 256,
});

describe("whatever a server does", () => {
  const fault: fc.Arbitrary<Fault> = fc.oneof(
    fc.record({ kind: fc.constant("cut" as const), after: fc.integer({ min: 0, max: 300_000 }) }),
    fc.record({
      kind: fc.constant("status" as const),
      status: fc.constantFrom(408, 416, 429, 500, 503),
      headers: fc.constantFrom({}, { "retry-after": "0" }, { "content-range": "bytes */0" }),
    }),
    fc.constantFrom<Fault>({ kind: "no-range" }, { kind: "no-if-range" }, { kind: "wrong-range" }),
  );
  const validators = fc.constantFrom<"etag" | "weak etag" | "date" | "none">("etag", "weak etag", "date", "none");

  function version(bytes: Buffer, number: number, validator: string): ServedFile {
    if (validator === "etag") return { bytes, etag: `"${number}"` };
    if (validator === "weak etag") return { bytes, etag: `W/"${number}"` };
    if (validator === "date") return { bytes, lastModified: `Tue, 0${number} Dec 2026 00:00:00 GMT` };
    return { bytes };
  }

  it("a stored model is one version of its file, never parts of two", async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fault, { maxLength: 5 }),
        validators,
        fc.option(fc.nat({ max: 4 }), { nil: undefined }),
        fc.boolean(),
        async (faults, validator, changesAt, isSameLength) => {
          const first = version(model, 1, validator);
          const second = version(isSameLength ? modelOf("changed ", 300_000) : two.bytes, 2, validator);
          server.file = first;
          server.faults = [...faults];
          server.requests.length = 0;
          server.onRequest = () => {
            if (server.requests.length - 1 === changesAt) server.file = second;
          };
          run += 1;
          const root = join(folder, String(run));
          const stored = await storeIn(root, { attempts: 10 }).get(address);
          if (stored.file.kind !== "path") throw expect.fail("not a file");
          const bytes = await readFile(stored.file.path);
          expect([first, second].some((served) => served.bytes.equals(bytes))).toBe(true);
          expect(stored.sha256).toBe(hash(bytes));
          await rm(root, { recursive: true });
        },
      ),
      { numRuns: 80 },
    );
  });
});

describe("a download from a server that fails", () => {
  it("begins again where ranges are ignored", async () => {
    server.faults = [{ kind: "cut", after: 120_000 }, { kind: "no-range" }];
    expect((await store().get(address)).sha256).toBe(hash(model));
    expect(server.ranges).toEqual([undefined, expect.stringMatching(/^bytes=[1-9]/)]);
  });

  it("keeps what came before a stall, and goes on from there in the next call", async () => {
    server.faults = Array.from({ length: 3 }, () => ({ kind: "stall", after: 1000 }));
    await expect(store().get(address)).rejects.toMatchObject({
      code: "download_stalled",
      details: { stallMs: 300, keptBytes: 3000 },
    });
    expect(await store().status(address)).toEqual({ state: "partial", loadedBytes: 3000 });
    expect((await store().get(address)).sha256).toBe(hash(model));
    expect(server.ranges).toEqual([undefined, "bytes=1000-", "bytes=2000-", "bytes=3000-"]);
  });

  it("asks a host that refuses connections twice, no more", async () => {
    server.stop();
    let asked = 0;
    const counting: typeof fetch = (...request) => {
      asked += 1;
      return fetch(...request);
    };
    const { get } = storeIn(folder, { attempts: 6 }, { fetch: counting });
    await expect(get(address)).rejects.toMatchObject({
      code: "download_failed",
      message: expect.stringContaining("ECONNREFUSED"),
    });
    expect(asked).toBe(2);
  });

  it("names a Git LFS pointer for what it is", async () => {
    server.file = { bytes: Buffer.from("version https://git-lfs.github.com/spec/v1\noid sha256:00") };
    await expect(store().get(address)).rejects.toMatchObject({
      code: "model_invalid",
      message: expect.stringContaining("Git LFS pointer"),
    });
    expect(await partsLeft()).toEqual([]);
  });

  it("keeps what it had when a page comes instead of the rest", async () => {
    await expect(store().get(address, abortAt(1, "later"))).rejects.toBe("later");
    const before = await store().status(address);
    server.faults = [{ kind: "page" }];
    await expect(store().get(address)).rejects.toMatchObject({ code: "model_invalid" });
    expect(await store().status(address)).toEqual(before);
  });

  it("shows no query of an address in its errors", async () => {
    server.faults = [{ kind: "status", status: 403 }];
    const error = await failure(store().get(`${address}?token=secret`));
    expect(error).toMatchObject({ code: "download_failed" });
    expect(shownBy(error)).not.toContain("secret");
  });

  it("does not ask by an address with a password, and does not show it", async () => {
    const withPassword = address.replace("//", "//user:secret@");
    const asReference = await failure(store().get(withPassword));
    const asSource = await failure(store({ catalogue: [published(model)], sources: [withPassword] }).get("tiny"));
    expect(asReference).toMatchObject({ code: "model_not_found" });
    expect(asSource).toMatchObject({ code: "invalid_setting" });
    expect(shownBy(asReference) + shownBy(asSource)).not.toContain("secret");
    expect(server.requests).toEqual([]);
  });

  it("lists what each source answered, in order", async () => {
    server.faults = [{ kind: "status", status: 404 }, { kind: "page" }, { kind: "status", status: 403 }];
    const mirrors = [`${server.origin}/a`, `${server.origin}/b`];
    const settings = { catalogue: [published(model)], sources: mirrors, hub: server.origin };
    const hub = `${server.origin}/o/r/resolve/${"0".repeat(40)}/tiny.gguf`;
    await expect(store(settings).get("tiny")).rejects.toMatchObject({
      code: "download_failed",
      details: {
        source1: `${mirrors[0]}: ${mirrors[0]} did not give the file: it answered 404`,
        source2: expect.stringContaining("web page"),
        source3: expect.stringContaining(`${hub} did not give the file: it answered 403`),
      },
    });
  });

  it.each([
    ["sources", { sources: ["mirror/{file}"] }],
    ["hub", { hub: "mirror.example" }],
  ])("names a setting `%s` that is no address", async (_, setting) => {
    await expect(store({ catalogue: [published(model)], ...setting }).get("tiny")).rejects.toMatchObject({
      code: "invalid_setting",
      message: expect.stringContaining("mirror"),
    });
  });
});

describe("an address that the catalogue has a hash for", () => {
  const hub = () => `${server.origin}/o/r/resolve/${"0".repeat(40)}/tiny.gguf`;
  const settings = (bytes: Buffer) => ({ catalogue: [published(bytes)], hub: server.origin });

  it("gives the published model", async () => {
    await expect(store(settings(model)).get(hub())).resolves.toMatchObject({ id: "tiny", trust: "published" });
  });

  it("is held to it, and keeps nothing else", async () => {
    server.file = { bytes: Buffer.from(model).fill("x", 100, 200) };
    await expect(store(settings(model)).get(hub())).rejects.toMatchObject({
      code: "hash_mismatch",
      details: { expected: hash(model), found: hash(server.file.bytes) },
    });
    expect(await partsLeft()).toEqual([]);
    expect(await store(settings(model)).list()).toEqual([]);
  });
});

describe("several who want one model", () => {
  it("all see how far it is", async () => {
    server.faults = [{ kind: "stall", after: 100_000 }];
    const seen: StoreProgress[][] = [[], []];
    const slow = () => store({ stallMs: 2000 });
    const calls = seen.map((reports) => slow().get(address, { onProgress: (progress) => reports.push(progress) }));
    const [first, second] = await Promise.all(calls);
    expect(first?.sha256).toBe(second?.sha256);
    expect(server.ranges).toEqual([undefined, "bytes=100000-"]);
    for (const reports of seen) {
      expect(reports).toContainEqual(
        expect.objectContaining({ phase: "download", loaded: 100_000, total: model.length }),
      );
    }
  });

  it("go on with what the first left when that one gives up", async () => {
    server.faults = [{ kind: "stall", after: 100_000 }];
    const slow = () => store({ stallMs: 10_000 });
    const { signal, onProgress } = abortAt(100_000, "enough");
    const first = slow().get(address, { signal });
    first.catch(() => undefined);
    await expect.poll(() => server.requests.length).toBe(1);
    // Only what the second is told while it waits makes the first give up.
    const second = slow().get(address, { onProgress });
    await expect(first).rejects.toBe("enough");
    expect((await second).sha256).toBe(hash(model));
    expect(server.ranges).toEqual([undefined, "bytes=100000-"]);
  });

  it("are not in each other's way after one was thought dead", async () => {
    server.faults = [{ kind: "stall", after: 100_000 }];
    const sleeper = store({ stallMs: 10_000 }).get(address);
    sleeper.catch(() => undefined);
    await expect.poll(() => server.requests.length).toBe(1);
    await rm(join(folder, "locks"), { recursive: true });
    await expect(sleeper).rejects.toMatchObject({ code: "store_busy" });
    expect((await store().get(address)).sha256).toBe(hash(model));
  });

  it("do not have it removed under their hands", async () => {
    server.faults = [{ kind: "stall", after: 100_000 }];
    const slow = store({ stallMs: 10_000 });
    const controller = new AbortController();
    const removal = new Promise<unknown>((resolve) => {
      const onProgress = (progress: StoreProgress) => {
        if (progress.phase === "download" && progress.loaded >= 100_000)
          resolve(slow.remove(address).catch((reason: unknown) => reason));
      };
      slow.get(address, { signal: controller.signal, onProgress }).catch(() => undefined);
    });
    expect(await removal).toMatchObject({ code: "store_busy", details: { pid: process.pid } });
    controller.abort();
    await expect
      .poll(() =>
        slow.remove(address).then(
          ({ freedBytes }) => freedBytes >= 100_000,
          () => false,
        ),
      )
      .toBe(true);
    expect(await slow.status(address)).toEqual({ state: "absent" });
  });
});
