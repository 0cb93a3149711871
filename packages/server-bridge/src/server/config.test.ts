import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readConfig, variableOf, withoutSecrets } from "./config.js";

const folder = mkdtempSync(join(tmpdir(), "optio-config-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(value: unknown): string {
  const path = join(folder, "settings.json");
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  return path;
}

const nowhere = { env: {}, flags: {}, modelFolder: join(folder, "none") };

describe("readConfig", () => {
  it("has defaults that listen on this machine only", () => {
    expect(readConfig(nowhere)).toMatchObject({
      host: "127.0.0.1",
      port: 8080,
      engine: "auto",
      keys: [],
      maxQueue: 64,
    });
  });

  it("takes flags before variables, variables before the file, the file before defaults", () => {
    const sources = { ...nowhere, file: file({ port: 1, maxQueue: 1, timeoutMs: 1 }) };
    expect(readConfig(sources)).toMatchObject({ port: 1, maxQueue: 1, timeoutMs: 1 });
    const env = { OPTIO_PORT: "2", OPTIO_MAX_QUEUE: "2" };
    expect(readConfig({ ...sources, env })).toMatchObject({ port: 2, maxQueue: 2, timeoutMs: 1 });
    const flags = { port: 3, model: undefined };
    expect(readConfig({ ...sources, env, flags })).toMatchObject({ port: 3, maxQueue: 2, timeoutMs: 1 });
  });

  it("reads lists, flags and policies from variables, and SageMaker's prefix", () => {
    const env = {
      OPTIO_KEYS: "a,b",
      SM_OPTIO_HOST: "0.0.0.0",
      OPTIO_ALIASES: "false",
      OPTIO_POLICY: "accept=0.9,review=0.5",
    };
    expect(readConfig({ ...nowhere, env })).toMatchObject({
      keys: ["a", "b"],
      host: "0.0.0.0",
      aliases: false,
      policy: { accept: 0.9, review: 0.5 },
    });
  });

  it("finds the model where SageMaker puts it, unless one is named", () => {
    writeFileSync(join(folder, "b.gguf"), "");
    writeFileSync(join(folder, "a.gguf"), "");
    expect(readConfig({ env: {}, flags: {}, modelFolder: folder }).model).toBe(join(folder, "a.gguf"));
    expect(readConfig({ env: {}, flags: { model: "x" }, modelFolder: folder }).model).toBe("x");
  });

  it("wants a key beyond this machine, or somebody who decides in its place", () => {
    const flags = { host: "0.0.0.0" };
    expect(() => readConfig({ ...nowhere, flags })).toThrow(expect.objectContaining({ code: "invalid_setting" }));
    expect(readConfig({ ...nowhere, flags: { ...flags, keys: ["a"] } }).host).toBe("0.0.0.0");
    expect(readConfig({ ...nowhere, flags: { ...flags, allowAnyone: true } }).host).toBe("0.0.0.0");
    for (const host of ["localhost", "127.0.0.2", "::1"])
      expect(readConfig({ ...nowhere, flags: { host } }).host).toBe(host);
  });

  it.each<[string, { flags?: object; env?: Record<string, string>; content?: object }]>([
    ["port", { flags: { port: 70_000 } }],
    ["port", { env: { OPTIO_PORT: "http" } }],
    ["engine", { flags: { engine: "gpu" } }],
    ["aliases", { env: { OPTIO_ALIASES: "maybe" } }],
    ["policy", { env: { OPTIO_POLICY: "accept=high" } }],
    ["prot", { content: { prot: 1 } }],
  ])("names %s when it is wrong", (name, { content = {}, ...wrong }) => {
    const invalid = expect.objectContaining({ code: "invalid_setting", message: expect.stringContaining(name) });
    expect(() => readConfig({ ...nowhere, file: file(content), ...wrong })).toThrow(invalid);
  });

  it("says that a file is none", () => {
    for (const path of [join(folder, "missing.json"), file("{"), file([])]) {
      expect(() => readConfig({ ...nowhere, file: path })).toThrow(
        expect.objectContaining({ code: "invalid_setting" }),
      );
    }
  });
});

it("names variables after settings", () => {
  expect(variableOf("maxBodyBytes")).toBe("OPTIO_MAX_BODY_BYTES");
});

it("hides keys", () => {
  const config = readConfig({ ...nowhere, flags: { keys: ["secret"] } });
  expect(JSON.stringify(withoutSecrets(config))).not.toContain("secret");
});
