import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FileServer } from "../../test/file-server.js";
import { memoryStorePlatform } from "../store/memory-platform.js";
import type { ModelStore, StoreSettings } from "../store/model-store.js";
import { createStore } from "../store/store.js";
import type { StorePlatform, StoreProgress } from "../store/store-platform.js";
import { storeVersion } from "../store/versions.js";
import { createModelStore, nodeStorePlatform } from "./node-store.js";

// Room, pins, export and versions of a store: over real files, and over memory, which must behave the same.
const size = 50_004;
const modelOf = (letter: string) => Buffer.concat([Buffer.from("GGUF"), Buffer.alloc(size - 4, letter)]);
const shaOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

let folder: string;
let servers: FileServer[];
/** Address of a model whose bytes are this letter. */
let addressOf: (letter: string) => string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "optio-room-"));
  const letters = ["a", "b", "c"];
  servers = await Promise.all(
    letters.map((letter) => FileServer.start({ bytes: modelOf(letter), etag: `"${letter}"` })),
  );
  addressOf = (letter) => `${servers[letters.indexOf(letter)]?.origin}/${letter}.gguf`;
});

afterEach(async () => {
  for (const server of servers) server.stop();
  await rm(folder, { recursive: true });
});

const platforms: Readonly<Record<string, () => StorePlatform>> = {
  files: () => nodeStorePlatform(folder),
  memory: () => memoryStorePlatform({ ...nodeStorePlatform(folder), baseAddress: "http://localhost/" }),
};

/** Later calls must have later times: the store records milliseconds. */
const tick = () => new Promise((resolve) => setTimeout(resolve, 5));

describe.each(Object.keys(platforms))("a store in %s", (kind) => {
  let store: ModelStore;
  const open = (settings: Partial<StoreSettings> = {}): ModelStore => {
    const platform = platforms[kind]?.();
    if (platform === undefined) throw expect.fail("no platform");
    store = createStore(platform, { catalogue: [], attempts: 1, backOffMs: 1, ...settings });
    return store;
  };
  const fill = async (...letters: string[]) => {
    const ids: string[] = [];
    for (const letter of letters) {
      ids.push((await store.get(addressOf(letter))).id);
      await tick();
    }
    return ids;
  };
  const idsIn = async () => (await store.list()).map(({ id }) => id);

  it("refuses what does not fit into its limit, and names what could go", async () => {
    open({ maxBytes: 2 * size });
    await fill("a", "b");
    await expect(store.get(addressOf("c"))).rejects.toMatchObject({
      code: "no_space",
      hint: expect.stringMatching(/a.*b/),
      details: { neededBytes: size, freeBytes: 0 },
    });
    expect(await idsIn()).toEqual(["a", "b"]);
  });

  it("removes the longest unused where that is allowed, and says so", async () => {
    open({ maxBytes: 2 * size, evict: "least-recently-used" });
    await fill("a", "b", "a");
    const seen: StoreProgress[] = [];
    await store.get(addressOf("c"), { onProgress: (progress) => void seen.push(progress) });
    expect(await idsIn()).toEqual(["a", "c"]);
    expect(seen).toContainEqual({ phase: "evict", id: "b", freedBytes: size });
  });

  it("keeps what is pinned, and removes nothing when that would not be enough", async () => {
    open({ maxBytes: 2 * size, evict: "least-recently-used" });
    await fill("a", "b");
    expect(await store.pin("a")).toMatchObject({ id: "a", pinned: true });
    await store.get(addressOf("c"));
    expect(await idsIn()).toEqual(["a", "c"]);
    await store.pin("c");
    await expect(store.get(addressOf("b"))).rejects.toMatchObject({ code: "no_space" });
    expect(await idsIn()).toEqual(["a", "c"]);
    expect(await store.pin("c", false)).toMatchObject({ pinned: false });
    await store.get(addressOf("b"));
    expect(await idsIn()).toEqual(["a", "b"]);
  });

  it("does not remove by itself what came from a file", async () => {
    open({ maxBytes: size, evict: "least-recently-used" });
    await store.add(new File([modelOf("a")], "mine.gguf"));
    await expect(store.get(addressOf("b"))).rejects.toMatchObject({ code: "no_space" });
    expect(await idsIn()).toEqual(["mine"]);
  });

  it("stays pinned when it is added again", async () => {
    open();
    await store.add(new File([modelOf("a")], "mine.gguf"));
    await store.pin("mine");
    await store.add(new File([modelOf("a")], "mine.gguf"));
    expect((await store.list())[0]).toMatchObject({ pinned: true });
  });

  it("gives a model out as it came in", async () => {
    open();
    await fill("a");
    const blob = await store.export("a");
    expect(shaOf(new Uint8Array(await blob.arrayBuffer()))).toBe(shaOf(modelOf("a")));
    await expect(store.export("nothing")).rejects.toMatchObject({ code: "model_not_found" });
  });

  it("goes on after an abort from the byte that it had", async () => {
    open({ progressMs: 1 });
    const [server] = servers;
    if (server === undefined) throw expect.fail("no server");
    server.faults = [{ kind: "stall", after: 30_000 }];
    const controller = new AbortController();
    const onProgress = (progress: StoreProgress) => {
      if (progress.phase === "download" && progress.loaded >= 30_000) controller.abort("later");
    };
    await expect(store.get(addressOf("a"), { signal: controller.signal, onProgress })).rejects.toBe("later");
    expect(await store.status(addressOf("a"))).toMatchObject({ state: "partial", loadedBytes: 30_000 });
    expect((await store.get(addressOf("a"))).sha256).toBe(shaOf(modelOf("a")));
    expect(server.requests.at(-1)?.headers.range).toBe("bytes=30000-");
  });

  it("downloads once for two who ask at the same time", async () => {
    open();
    await Promise.all([store.get(addressOf("a")), store.get(addressOf("a"))]);
    expect(servers[0]?.requests).toHaveLength(1);
  });

  it("verifies and removes", async () => {
    open();
    await fill("a");
    await expect(store.verify("a")).resolves.toMatchObject({ id: "a" });
    await expect(store.remove("a")).resolves.toMatchObject({ freedBytes: expect.any(Number) });
    expect(await idsIn()).toEqual([]);
  });
});

describe("the version of a store", () => {
  const open = () => createStore(nodeStorePlatform(folder), { catalogue: [] });
  const factsOf = async (name: string) => JSON.parse(await readFile(join(folder, `${name}.json`), "utf8"));

  it("is brought up to date, with all that lies in it", async () => {
    const { sha256 } = await open().add(new File([modelOf("a")], "mine.gguf"));
    // As version 1 left it.
    const { pinned: _, ...first } = await factsOf(`${sha256}/facts`);
    await writeFile(join(folder, `${sha256}/facts.json`), JSON.stringify(first));
    await rm(join(folder, "version.json"));

    expect((await open().list())[0]).toMatchObject({ id: "mine", source: "mine.gguf", pinned: false });
    expect(await factsOf("version")).toEqual({ version: storeVersion });
    expect(await factsOf(`${sha256}/facts`)).toEqual({ ...first, pinned: false });
  });

  it("is not touched when it is newer than this optio", async () => {
    const later = JSON.stringify({ version: storeVersion + 1 });
    await writeFile(join(folder, "version.json"), later);
    await expect(open().list()).rejects.toMatchObject({
      code: "store_failed",
      hint: expect.stringContaining("Update optio"),
      details: { version: storeVersion + 1 },
    });
    expect(await readFile(join(folder, "version.json"), "utf8")).toBe(later);
  });
});

describe("a store that is not saved", () => {
  it("keeps models for this process in a folder of its own", async () => {
    const store = createModelStore({ save: false });
    const { file } = await store.get(addressOf("a"));
    if (file.kind !== "path") throw expect.fail("not a file");
    expect(existsSync(file.path)).toBe(true);
    expect(await createModelStore({ folder }).list()).toEqual([]);
    await store.remove("a");
  });

  it("takes no folder", () => {
    expect(() => createModelStore({ save: false, folder })).toThrow(
      expect.objectContaining({ code: "invalid_setting" }),
    );
  });
});
