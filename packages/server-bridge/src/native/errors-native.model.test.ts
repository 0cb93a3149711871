import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createModelStore } from "@optio/core";
import { afterAll, describe, expect, it } from "vitest";
import { findNativeProgram } from "../../dist/native/native-program.js";
import { startNativeScorer } from "../../dist/native/native-scorer.js";

// The real native program, from outside: killed, short of memory, given files that are none.
const hint = expect.stringMatching(/^[`A-Z].{15,}[.)]$/u);
const folder = mkdtempSync(join(tmpdir(), "optio-native-errors-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The program behind a line of shell. */
function behind(line: string) {
  const { path: real, environment } = findNativeProgram();
  const path = join(folder, "program");
  writeFileSync(path, `#!/bin/sh\n${line}\nexec "${real}"\n`, { mode: 0o755 });
  return { path, environment };
}

async function model(contextTokens = 1_024) {
  const { file } = await createModelStore().get("smollm2-135m-instruct");
  if (file.kind !== "path") throw expect.fail("the fixture is not a file");
  return { path: file.path, threads: 1, contextTokens };
}

describe("the native scorer", () => {
  it("rejects every pending call when its process is killed", async () => {
    const pid = join(folder, "pid");
    const scorer = await startNativeScorer({ program: behind(`echo $$ > "${pid}"`), load: await model() });
    const tokens = Int32Array.from({ length: 1_000 }, (_, at) => 1_000 + at);
    const nodes = [{ parent: -1, tokens, reads: [{ at: 999, ids: Int32Array.of(5) }] }];
    const calls = [scorer.score({ nodes }), scorer.tokenize([{ text: "waiting", special: false }])];
    process.kill(Number(readFileSync(pid, "utf8")), "SIGKILL");
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({
        status: "rejected",
        reason: { code: "engine_crashed", hint, message: expect.stringContaining("SIGKILL") },
      });
    }
    await scorer.close();
  });

  it("says that memory is short", async () => {
    const starting = startNativeScorer({ program: behind("ulimit -v 300000"), load: await model(8_192) });
    await expect(starting).rejects.toMatchObject({ code: "out_of_memory", hint });
  });

  it("says what is wrong with a file", async () => {
    const path = join(folder, "page.gguf");
    writeFileSync(path, "<!doctype html>");
    for (const bad of [path, folder, join(folder, "none.gguf")]) {
      const starting = startNativeScorer({ program: findNativeProgram(), load: { ...(await model()), path: bad } });
      await expect(starting).rejects.toMatchObject({ code: "model_invalid", hint });
    }
  });

  it("says by how much a plan is too long", async () => {
    const scorer = await startNativeScorer({ program: findNativeProgram(), load: await model(256) });
    const tokens = Int32Array.from({ length: 300 }, (_, at) => 1_000 + at);
    await expect(scorer.score({ nodes: [{ parent: -1, tokens, reads: [] }] })).rejects.toMatchObject({
      code: "context_too_long",
      hint,
      details: { needed: 300, available: 256 },
    });
    await scorer.close();
  });
});
