import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelStore } from "@optio/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { native } from "./native.js";
import { startNativeScorer } from "./native-scorer.js";
import { ScorerProcess } from "./scorer-process.js";

// Programs that are not the scorer, in its place.
const hint = expect.stringMatching(/^[`A-Z].{15,}[.)]$/u);
const load = { path: "none.gguf", threads: 1, contextTokens: 256 };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "optio-native-errors-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function starting(script: string, readyTimeoutMs = 10_000) {
  const path = join(folder, "program");
  await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return startNativeScorer({ program: { path, environment: process.env }, load, readyTimeoutMs });
}

describe("a native program that is not what it should be", () => {
  it("ends at once, and its last words are told", async () => {
    await expect(starting("echo 'libggml.so: cannot open' >&2; exit 127")).rejects.toMatchObject({
      code: "engine_start_failed",
      hint,
      message: expect.stringMatching(/exit code 127.*libggml\.so: cannot open/s),
    });
  });

  it("is killed before it is ready", async () => {
    await expect(starting("kill -9 $$")).rejects.toMatchObject({
      code: "engine_start_failed",
      hint,
      message: expect.stringContaining("SIGKILL"),
    });
  });

  it("says nothing", async () => {
    await expect(starting("exec sleep 60", 100)).rejects.toMatchObject({ code: "engine_start_failed", hint });
  });

  it("is not there, with the system's error as the cause", async () => {
    const child = new ScorerProcess(join(folder, "none"), process.env);
    const calls = [child.call(1, new Uint8Array(12)), child.call(2, new Uint8Array(12))];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ reason: { code: "engine_start_failed", hint, cause: { code: "ENOENT" } } });
    }
  });

  it("says something else", async () => {
    await expect(starting("echo 'usage: scorer [options] FILE'; exec sleep 60")).rejects.toMatchObject({
      code: "protocol_mismatch",
      hint,
    });
  });
});

describe("the native engine", () => {
  it.each([
    ["threads", 0],
    ["threads", 1.5],
    ["contextTokens", -5],
    ["model", 7],
    ["profile", {}],
    ["store", "somewhere"],
    ["thraeds", 2],
  ])("refuses the option %s: %o", (name, value) => {
    expect(() => native({ [name]: value } as object)).toThrow(
      expect.objectContaining({ code: "invalid_setting", hint, message: expect.stringContaining(name) }),
    );
  });

  it("cannot run on a model that is no file", async () => {
    const stored = { id: "tiny", sha256: "", file: { kind: "opfs", path: ["tiny.gguf"] } };
    const store = { get: async () => stored } as unknown as ModelStore;
    await expect(native({ store }).start({})).rejects.toMatchObject({ code: "engine_unavailable", hint });
  });
});
