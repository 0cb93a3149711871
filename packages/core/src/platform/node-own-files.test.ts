import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { OptioError } from "../errors.js";
import type { CatalogueEntry } from "../store/catalogue.js";
import { createStore } from "../store/store.js";
import type { StoreFiles, StoreProgress } from "../store/store-platform.js";
import type { StoredModel } from "../store/stored-models.js";
import { nodeStorePlatform } from "./node-store.js";

const model = Buffer.concat([Buffer.from("GGUF"), Buffer.alloc(3_000_000, "weights ")]);
const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

const entry: CatalogueEntry = {
  id: "tiny",
  title: "Tiny",
  file: "tiny-q4.gguf",
  bytes: model.length,
  sha256: hash(model),
  hash: "read",
  licence: "MIT",
  sources: [],
  kind: "asked",
  engines: ["wasm"],
  contextTokens: 256,
};

let root: string;
let folder: string;
let mine: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "optio-own-"));
  folder = join(root, "store");
  mine = join(root, "Mine.gguf");
  await writeFile(mine, model);
});
afterEach(() => rm(root, { recursive: true }));

const storeWith = (catalogue: readonly CatalogueEntry[], files: Partial<StoreFiles> = {}) => {
  const platform = nodeStorePlatform(folder);
  return createStore({ ...platform, files: { ...platform.files, ...files } }, { catalogue });
};
const store = () => storeWith([]);

function pathOf({ file }: StoredModel): string {
  return file.kind === "path" ? file.path : expect.fail("not a file");
}

const stored = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((f) => f.isFile() && f.name !== "version.json")
    .map(({ name }) => name);

describe("a path", () => {
  it("is used where it lies, in whatever way it is written", async () => {
    for (const reference of [mine, pathToFileURL(mine).href]) {
      const found = await store().get(reference);
      expect(found).toMatchObject({ id: "mine", sha256: hash(model), source: mine, trust: "first-use" });
      expect(pathOf(found)).toBe(mine);
    }
    expect((await stored()).filter((name) => name.endsWith(".gguf"))).toEqual([]);
  });

  it("is recognised as a model of the catalogue by its bytes, not its name", async () => {
    expect(await storeWith([entry]).get(mine)).toMatchObject({ id: "tiny", trust: "published" });
  });

  it("is hashed once, and again when the file has changed", async () => {
    const phases: StoreProgress[] = [];
    const onProgress = (progress: StoreProgress) => phases.push(progress);
    await store().get(mine, { onProgress });
    expect(phases.at(-1)).toEqual({ phase: "verify", loaded: model.length, total: model.length });
    const count = phases.length;
    await store().get(mine, { onProgress });
    expect(phases).toHaveLength(count);

    const other = Buffer.from(model).fill("x", 100, 200);
    await writeFile(mine, other);
    await utimes(mine, new Date(), new Date(Date.now() + 5000));
    expect((await store().get(mine)).sha256).toBe(hash(other));
  });

  it("that leads nowhere, to a folder or to another kind of file is refused", async () => {
    await expect(store().get(join(root, "none.gguf"))).rejects.toMatchObject({ code: "model_not_found" });
    await expect(store().get(`${root}/`)).rejects.toMatchObject({ code: "model_not_found" });
    await writeFile(mine, "PK\x03\x04");
    await expect(store().get(mine)).rejects.toMatchObject({
      code: "model_invalid",
      message: `${mine} is not a GGUF model: it begins with the bytes 50 4b 03 04`,
    });
    await writeFile(mine, "");
    await expect(store().get(mine)).rejects.toMatchObject({ message: `${mine} is not a GGUF model: it is empty` });
  });

  it("is not what `remove` removes", async () => {
    await store().get(mine);
    await expect(store().remove(mine)).rejects.toMatchObject({ code: "model_not_found" });
    expect(hash(await readFile(mine))).toBe(hash(model));
  });
});

describe("a file that is added", () => {
  it("is copied under its hash, and found by its id whatever happens to the original", async () => {
    const added = await store().add(mine);
    await rm(mine);
    expect(hash(await readFile(pathOf(added)))).toBe(hash(model));
    expect(await store().get("MINE")).toMatchObject({ id: "mine", sha256: hash(model), source: mine });
    expect(await store().status("mine")).toMatchObject({ state: "stored", model: { id: "mine" } });
  });

  it("takes the name that the catalogue has for it", async () => {
    const added = await storeWith([entry]).add(mine);
    expect(added).toMatchObject({ id: "tiny", fileName: "tiny-q4.gguf", trust: "published" });
    expect(await storeWith([entry]).status("tiny")).toMatchObject({ state: "stored" });
  });

  it("is not copied twice", async () => {
    const first = await store().add(mine);
    const append = () => expect.fail("it was copied again");
    const again = await storeWith([], { append }).add(mine);
    expect(pathOf(again)).toBe(pathOf(first));
  });

  it("is stored once by several who add it at the same time", async () => {
    const added = await Promise.all([1, 2, 3].map(() => store().add(mine)));
    expect(new Set(added.map(pathOf)).size).toBe(1);
    expect((await stored()).filter((name) => /gguf|part|lock$/.test(name))).toEqual(["Mine.gguf"]);
    expect(hash(await readFile(pathOf(added[0] ?? expect.fail("none"))))).toBe(hash(model));
  });

  it("has another id than a different model of the same name", async () => {
    await store().add(new Blob([model]), { name: "same.gguf" });
    const other = Buffer.from(model).fill("x", 100, 200);
    await store().add(new Blob([other]), { name: "same.gguf" });
    const ids = (await store().list()).map(({ id }) => id);
    expect(ids[0]).toBe("same");
    expect(ids[1]).toMatch(/^same-[0-9a-f]{8}$/);
  });

  it("can be a File or a Blob", async () => {
    const added = await store().add(new File([model], "From Me.gguf"));
    expect(added).toMatchObject({ id: "from-me", sha256: hash(model) });
    expect(hash(await readFile(pathOf(added)))).toBe(hash(model));
  });

  it("leaves nothing behind when it is no model, or the caller gives up", async () => {
    const page = new Blob(["<html>"]);
    await expect(store().add(page, { name: "page.gguf" })).rejects.toMatchObject({ code: "model_invalid" });
    const controller = new AbortController();
    const large = new Blob([model, Buffer.alloc(6_000_000)]);
    const onProgress = () => controller.abort("enough");
    await expect(store().add(large, { signal: controller.signal, onProgress })).rejects.toBe("enough");
    expect(await stored()).toEqual([]);
  });
});

describe("a store that is full", () => {
  const add = (files: Partial<StoreFiles>) => storeWith([], files).add(new Blob([model]), { name: "new.gguf" });

  it("says what was not used for longest", async () => {
    for (const name of ["old.gguf", "older.gguf"]) await store().add(new Blob(["GGUF", name]), { name });
    await new Promise((resolve) => setTimeout(resolve, 5));
    await store().get("old");
    const address = "http://127.0.0.1:9/x.gguf";
    const full = createStore(
      {
        ...nodeStorePlatform(folder),
        files: { ...nodeStorePlatform(folder).files, freeBytes: async () => 10 },
      },
      { catalogue: [entry], sources: [address] },
    );
    await expect(full.get("tiny")).rejects.toMatchObject({
      code: "no_space",
      hint: expect.stringContaining("older (14 bytes), old (12 bytes)"),
      details: { neededBytes: model.length, freeBytes: 10 },
    });
  });

  it("refuses a file before it is copied", async () => {
    const append = () => expect.fail("something was written");
    await expect(add({ freeBytes: async () => 10, append })).rejects.toMatchObject({ code: "no_space" });
  });

  it("keeps nothing of a file that did not fit after all", async () => {
    const { files } = nodeStorePlatform(folder);
    const append: StoreFiles["append"] = async (path, at) => {
      const { close } = await files.append(path, at);
      return { close, write: () => Promise.reject(new OptioError("no_space", "the disk is full")) };
    };
    await expect(add({ append })).rejects.toMatchObject({ code: "no_space" });
    expect(await stored()).toEqual([]);
  });
});

describe("a check of a stored model", () => {
  it("removes nothing when it finds damage, and reports how far it is", async () => {
    const added = await store().add(mine);
    await writeFile(pathOf(added), Buffer.from(model).fill("x", 2_000_000, 2_000_001));
    const reports: StoreProgress[] = [];
    await expect(store().verify("mine", { onProgress: (report) => reports.push(report) })).rejects.toMatchObject({
      code: "hash_mismatch",
      details: { expected: hash(model) },
    });
    expect(reports.at(-1)).toEqual({ phase: "verify", loaded: model.length, total: model.length });
    expect(await store().list()).toHaveLength(1);
  });

  it("can be given up", async () => {
    await store().add(mine);
    const controller = new AbortController();
    const onProgress = () => controller.abort("enough");
    await expect(store().verify("mine", { signal: controller.signal, onProgress })).rejects.toBe("enough");
  });

  it("needs a model that is stored", async () => {
    await expect(storeWith([entry]).verify("tiny")).rejects.toMatchObject({
      code: "model_not_found",
      message: "tiny is not stored here",
    });
    await expect(store().verify("none")).rejects.toMatchObject({ code: "model_not_found" });
  });
});
