import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createModelStore } from "@optio/core";
import type { ScorePlan } from "@optio/core/engines";
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
  const pid = join(folder, "pid");
  const withPid = () => behind(`echo $$ > "${pid}"`);
  const signal = (name: NodeJS.Signals) => process.kill(Number(readFileSync(pid, "utf8")), name);
  const long: ScorePlan = {
    nodes: [
      {
        parent: -1,
        tokens: Int32Array.from({ length: 1_000 }, (_, at) => 1_000 + at),
        reads: [{ at: 999, ids: Int32Array.of(5) }],
      },
    ],
  };
  const waiting = [{ text: "waiting", special: false }];

  it("loses the running call when its process is killed, and starts another for the next", async () => {
    const scorer = await startNativeScorer({ program: withPid(), load: await model() });
    const first = readFileSync(pid, "utf8");
    const calls = [scorer.score(long), scorer.tokenize(waiting)];
    setTimeout(() => signal("SIGKILL"), 100);
    const [running, next] = await Promise.allSettled(calls);
    expect(running).toMatchObject({
      status: "rejected",
      reason: { code: "engine_crashed", hint, message: expect.stringContaining("SIGKILL") },
    });
    expect(next).toMatchObject({ status: "fulfilled" });
    expect(readFileSync(pid, "utf8")).not.toBe(first);
    await expect(scorer.score(long)).resolves.toMatchObject({ evaluatedTokens: 1_000 });
    await scorer.close();
  });

  it("replaces a process that hangs", async () => {
    const scorer = await startNativeScorer({ program: withPid(), load: await model(), silenceLimitMs: 1_000 });
    signal("SIGSTOP");
    await expect(scorer.tokenize(waiting)).rejects.toMatchObject({ code: "engine_crashed", hint });
    await expect(scorer.tokenize(waiting)).resolves.toHaveLength(1);

    signal("SIGSTOP");
    const closing = scorer.close();
    await expect(closing).resolves.toBeUndefined();
  });

  it("is not restarted for ever", async () => {
    const scorer = await startNativeScorer({ program: withPid(), load: await model(), maxRestarts: 1 });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const call = scorer.score(long);
      const watch = setInterval(() => signal("SIGKILL"), 700);
      await expect(call).rejects.toMatchObject({ code: "engine_crashed" });
      clearInterval(watch);
    }
    await expect(scorer.tokenize(waiting)).rejects.toThrow(/not started again/);
    await scorer.close();
  });

  it("says so when the model's file has gone meanwhile", async () => {
    const load = await model();
    const path = join(folder, "gone.gguf");
    copyFileSync(load.path, path);
    const scorer = await startNativeScorer({ program: withPid(), load: { ...load, path } });
    rmSync(path);
    signal("SIGKILL");
    await expect(scorer.tokenize(waiting)).rejects.toMatchObject({ code: "engine_crashed" });
    await expect(scorer.tokenize(waiting)).rejects.toMatchObject({ code: "model_invalid", hint });
    copyFileSync(load.path, path);
    await expect(scorer.tokenize(waiting)).resolves.toHaveLength(1);
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
