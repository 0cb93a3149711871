import { noul, OptioError } from "@optio/core";
import { type FakeEngineSource, fake } from "@optio/core/testing";
import { afterEach, describe, expect, it } from "vitest";
import { createModels, type Models, type ModelsSettings } from "./models.js";

const opened: Models[] = [];
afterEach(async () => {
  for (const models of opened.splice(0)) await models[Symbol.asyncDispose]();
});

function named(id: string, bytes = 0): { engine: FakeEngineSource; name: string; sizeBytes: () => Promise<number> } {
  return { name: `/models/${id}.gguf`, engine: fake({ info: { model: { id } } }), sizeBytes: async () => bytes };
}

function create(settings: Partial<ModelsSettings> & Pick<ModelsSettings, "models">): Models {
  const models = createModels({ aliases: true, maxQueue: 8, ...settings });
  opened.push(models);
  return models;
}

const idsOf = (models: Models) => models.loaded().map(({ model }) => model.id);
const use = async (models: Models, name?: string) => {
  using served = await models.acquire(name);
  await served.decider.decide({ state: "x", questions: { a: noul("a?") } });
  return served.info.model.id;
};

describe("several models", () => {
  it("are loaded when they are asked for, by name, file or alias", async () => {
    const models = create({ models: [named("small"), named("large")], maxLoaded: 2 });
    expect(idsOf(models)).toEqual([]);
    expect(await use(models)).toBe("small");
    expect(await use(models, "optio-latest")).toBe("small");
    expect(await use(models, "jev-latest")).toBe("small");
    expect(idsOf(models)).toEqual(["small"]);
    expect(await use(models, "large")).toBe("large");
    expect(await use(models, "/models/large.gguf")).toBe("large");
    expect(idsOf(models)).toEqual(["small", "large"]);
    await expect(use(models, "huge")).rejects.toMatchObject({ status: 400, hint: expect.stringContaining("large") });
  });

  it("make room for each other, the least recently used first, and come back", async () => {
    const [a, b, c] = [named("a"), named("b"), named("c")];
    const models = create({ models: [a, b, c], maxLoaded: 2 });
    for (const name of ["a", "b", "a", "c"]) await use(models, name);
    expect(idsOf(models)).toEqual(["a", "c"]);
    await use(models, "b");
    expect(idsOf(models)).toEqual(["b", "c"]);
    expect([a, b, c].map(({ engine }) => engine.starts)).toEqual([1, 2, 1]);
  });

  it("stay within their bytes together", async () => {
    const models = create({
      models: [named("a", 60), named("b", 50), named("c", 30), named("d", 200)],
      maxLoaded: 9,
      maxBytes: 100,
    });
    for (const name of ["a", "c"]) await use(models, name);
    expect(idsOf(models)).toEqual(["a", "c"]);
    await use(models, "b");
    expect(idsOf(models)).toEqual(["b", "c"]);
    const error = await use(models, "d").then(() => expect.fail("no error"), OptioError.from);
    expect(error).toMatchObject({ code: "out_of_memory", hint: expect.stringContaining("maxModelBytes") });
    expect(idsOf(models)).toEqual(["b", "c"]);
  });

  it("are never taken from somebody who uses them", async () => {
    const models = create({ models: [named("a"), named("b")] });
    const held = await models.acquire("a");
    const waiting = use(models, "b");
    await held.decider.decide({ state: "x", questions: { a: noul("a?") } });
    expect(idsOf(models)).toEqual(["a"]);
    held[Symbol.dispose]();
    held[Symbol.dispose]();
    expect(await waiting).toBe("b");
    expect(idsOf(models)).toEqual(["b"]);
  });

  it("let a request give up waiting for room", async () => {
    const models = create({ models: [named("a"), named("b")] });
    using _held = await models.acquire("a");
    const controller = new AbortController();
    const waiting = models.acquire("b", controller.signal);
    controller.abort("enough");
    await expect(waiting).rejects.toBe("enough");
    expect(await use(models, "a")).toBe("a");
  });

  it("lose no request while they take turns", async () => {
    const sources = ["a", "b", "c"].map((id) => named(id));
    const models = create({ models: sources, maxLoaded: 2, maxQueue: 100 });
    const asked = Array.from({ length: 60 }, (_, index) => ["a", "b", "c"][(index * 7) % 3] as string);
    expect(await Promise.all(asked.map((name) => use(models, name)))).toEqual(asked);
    expect(idsOf(models).length).toBeLessThanOrEqual(2);
  });

  it("can be tried again after a start that failed", async () => {
    let broken = true;
    const healthy = fake({ info: { model: { id: "a" } } });
    const engine = {
      kind: "fake",
      start: (options: object) => (broken ? fake({ failStartWith: "no_space" }) : healthy).start(options),
    } as const;
    const models = create({ models: [{ name: "a", engine }, named("b")] });
    await expect(use(models, "a")).rejects.toMatchObject({ code: "no_space" });
    broken = false;
    expect(await use(models, "a")).toBe("a");
  });
});
