import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createModelStore, type ModelStore } from "@optio/core";
import { fake } from "@optio/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../testing/run-cli.js";

const bytes = Buffer.concat([Buffer.from("GGUF"), Buffer.from(Uint32Array.of(3).buffer), Buffer.alloc(5000, 7)]);
const sha256 = createHash("sha256").update(bytes).digest("hex");

/** The real store, in a folder of its own. */
describe("optio models", () => {
  let folder = "";
  let file = "";
  let store: ModelStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "optio-models-"));
    file = join(folder, "My-Model.Q4_1.gguf");
    await writeFile(file, bytes);
    store = createModelStore({ folder: join(folder, "models") });
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function addFile(): Promise<string> {
    const { stdout } = await runCli(["models", "add", file, "--json"], { store });
    return JSON.parse(stdout).model.id;
  }

  it("lists the catalogue when nothing is here", async () => {
    const { code, stdout } = await runCli(["models", "list"], { store });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^qwen2\.5-coder-1\.5b-instruct +1\.12 GB +- +Apache-2\.0 +default$/mu);
    expect(stdout).toMatch(/^smollm2-135m-instruct +98\.4 MB +- +Apache-2\.0 +for tests$/mu);
    const { models } = JSON.parse((await runCli(["models", "list", "--json"], { store })).stdout);
    expect(models.every(({ state }: { state: string }) => state === "absent")).toBe(true);
  });

  it("adds a file, says what its hash is worth, and lists it", async () => {
    const { code, stdout, stderr } = await runCli(["models", "add", file], { store });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^my-model\S* is here: .*\.gguf\nNothing vouches for its bytes/u);
    const { models } = JSON.parse((await runCli(["models", "list", "--json"], { store })).stdout);
    expect(models.at(-1)).toMatchObject({
      state: "stored",
      bytes: bytes.length,
      sha256,
      licence: null,
      path: expect.stringContaining(folder),
    });
    expect((await runCli(["models", "list"], { store })).stdout).toMatch(/my-model\S* +5\.01 kB +yes +added/u);
  });

  it("refuses to add what is no GGUF, with exit code 3", async () => {
    const page = join(folder, "page.gguf");
    await writeFile(page, "<!doctype html>");
    const { code, stdout, stderr } = await runCli(["models", "add", page], { store });
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toMatch(/^error: .+\nhint: .+\n/u);
  });

  it("verifies what is here, and ends with exit code 3 when something changed", async () => {
    expect(await runCli(["models", "verify"], { store })).toMatchObject({ code: 0, stdout: "No models are here.\n" });
    const id = await addFile();
    expect(await runCli(["models", "verify"], { store })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${id} is as it was`),
    });

    const place = join(folder, "models", sha256);
    const [name = ""] = (await readdir(place)).filter((entry) => entry.endsWith(".gguf"));
    await writeFile(join(place, name), Buffer.from(bytes).fill(8, 100, 200));
    const damaged = await runCli(["models", "verify", id, "--json"], { store });
    expect(damaged.code).toBe(3);
    expect(JSON.parse(damaged.stdout)).toMatchObject({
      models: [{ id, ok: false, error: { code: "hash_mismatch", hint: expect.any(String) } }],
    });
  });

  it("asks before it removes, and leaves the model on a no", async () => {
    const id = await addFile();
    const no = await runCli(["models", "remove", id], { store, terminal: true, answer: false });
    expect(no).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "Nothing was removed.\n",
      asked: [`Remove ${id} (5.01 kB)?`],
    });
    expect(await store.list()).toHaveLength(1);
    const yes = await runCli(["models", "remove", id], { store, terminal: true, answer: true });
    expect(yes).toMatchObject({ code: 0, stdout: expect.stringContaining(`${id} was removed`) });
    expect(await store.list()).toHaveLength(0);
  });

  it.each([
    ["stdin is no terminal", { terminal: true, stdin: "" }],
    ["stdout is no terminal", {}],
    ["CI is set", { terminal: true, env: { CI: "true" } }],
  ])("does not ask when %s, but ends with exit code 2 and names the flag", async (_, settings) => {
    const id = await addFile();
    const refused = await runCli(["models", "remove", id], { store, ...settings });
    expect(refused).toMatchObject({ code: 2, asked: [], stderr: expect.stringContaining("--yes") });
    expect(await store.list()).toHaveLength(1);
    expect(await runCli(["models", "remove", id, "--yes"], { store, ...settings })).toMatchObject({
      code: 0,
      asked: [],
    });
  });

  it.each([
    ["pull", "no-such-model"],
    ["verify", "no-such-model"],
    ["remove", "no-such-model"],
  ])("ends %s of an unknown model with exit code 3, as JSON when asked", async (verb, id) => {
    const { code, stdout } = await runCli(["models", verb, id, "--json"], { store });
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "model_not_found", hint: expect.any(String) } });
  });

  describe("a decision with a model that is not here", () => {
    const argv = ["decide", "x", "--noul", "Is it?", "--model", "qwen2.5-coder-0.5b-instruct"];

    it("asks before anything is downloaded", async () => {
      const source = fake();
      const no = await runCli(argv, { store, engine: () => source, terminal: true, answer: false });
      expect(no).toMatchObject({
        code: 3,
        asked: [expect.stringMatching(/not on this machine yet \(491 MB to download, Apache-2\.0\)/u)],
      });
      expect(source.starts).toBe(0);
      expect(await runCli(argv, { store, engine: () => source, terminal: true, answer: true })).toMatchObject({
        code: 0,
      });
      expect(source.starts).toBe(1);
    });

    it("ends with exit code 2 where nobody can be asked, and goes ahead with --yes", async () => {
      const source = fake();
      const refused = await runCli(argv, { store, engine: () => source });
      expect(refused).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("optio models pull qwen2.5-coder-0.5b-instruct"),
      });
      expect(refused.stderr).toContain("--yes");
      expect(source.starts).toBe(0);
      expect(await runCli([...argv, "--yes"], { store, engine: () => source })).toMatchObject({ code: 0, asked: [] });
    });

    it("uses the user's own files without asking", async () => {
      const result = await runCli(["decide", "x", "--noul", "Is it?", "--model", file], {
        store,
        engine: () => fake(),
      });
      expect(result).toMatchObject({ code: 0, asked: [] });
    });
  });

  it("does not call a broken-off download a model", async () => {
    await mkdir(join(folder, "models", sha256), { recursive: true });
    const { stdout } = await runCli(["models", "verify", "--json"], { store });
    expect(JSON.parse(stdout)).toEqual({ models: [] });
  });
});
