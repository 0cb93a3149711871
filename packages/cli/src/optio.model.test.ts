import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const program = fileURLToPath(new URL("../bin/optio.js", import.meta.url));
const model = ["--model", "smollm2-135m-instruct", "--yes"];
const fixtureSha256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53";

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface SpawnSettings {
  readonly stdin?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Asked again and again; what it resolves with is sent to the process, once. */
  readonly signalWhen?: () => Promise<NodeJS.Signals | undefined>;
}

function optio(argv: readonly string[], { stdin, env, signalWhen }: SpawnSettings = {}): Promise<Outcome> {
  const child = spawn(process.execPath, [program, ...argv], { env: { ...process.env, ...env } });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end(stdin ?? "");
  if (signalWhen !== undefined) {
    const timer = setInterval(async () => {
      const signal = await signalWhen();
      if (signal === undefined) return;
      clearInterval(timer);
      child.kill(signal);
    }, 20);
    child.once("close", () => clearInterval(timer));
  }
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/** A model is at work on a machine that may be busy. */
const patience = 180_000;

describe("the real program with a real model", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "optio-cli-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("decides three questions at once", { timeout: patience }, async () => {
    const { code, stdout, stderr } = await optio([
      "decide",
      "I was charged twice, please fix this today",
      ...["--choice", "team=Which team? | billing: Invoices and refunds | technical: Bugs | other"],
      ...["--noul", "angry=Is the customer angry?"],
      ...["--score", "urgency=How urgent is it? | can wait | this week | today"],
      ...["--json", "--quiet", ...model],
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { answers, receipt } = JSON.parse(stdout);
    for (const { distribution } of Object.values<{ distribution: { probability: number }[] }>(answers)) {
      expect(distribution.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 9);
    }
    expect(receipt).toMatchObject({
      engine: { kind: "wasm" },
      model: { id: "smollm2-135m-instruct", sha256: fixtureSha256 },
    });
  });

  it("writes no escapes into a pipe", { timeout: patience }, async () => {
    const { code, stdout, stderr } = await optio(["decide", "Refund me", "--noul", "Is it about money?", ...model], {
      env: { FORCE_COLOR: "1" },
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^noul: Is it about money\?\n(Yes|No), \d+ %\n/u);
    expect(stdout + stderr).not.toContain("\u001b");
  });

  it("gives the same numbers twice with --no-reuse", { timeout: patience }, async () => {
    const argv = ["decide", "Refund me", "--noul", "Is it about money?", "--no-reuse", "--json", "--quiet", ...model];
    const [first, second] = [await optio(argv), await optio(argv)].map(({ stdout }) => JSON.parse(stdout).answers);
    expect(second).toEqual(first);
  });

  it("streams JSON lines past a bad one", { timeout: patience }, async () => {
    const { code, stdout } = await optio(["decide", "--jsonl", "--noul", "q=Is it about money?", "--quiet", ...model], {
      stdin: '{"id": 1, "state": "Refund me"}\nbroken\n"It crashes"\n',
    });
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(code).toBe(5);
    expect(lines).toMatchObject([
      { line: 1, id: 1, answers: { q: { type: "noul" } } },
      { line: 2, error: { code: "invalid_state" } },
      { line: 3, answers: { q: { type: "noul" } } },
    ]);
  });

  it("evaluates, stops on Ctrl-C with 130, and goes on where it stopped", { timeout: 2 * patience }, async () => {
    const data = join(folder, "rows.csv");
    const out = join(folder, "results.jsonl");
    const rows = ["Refund me", "It crashes", "I paid twice", "Error 500", "My invoice is wrong", "The app freezes"];
    await writeFile(
      data,
      `text,label\n${rows.map((text, index) => `${text},${index % 2 === 0 ? "money" : "software"}`).join("\n")}\n`,
    );
    const argv = ["eval", data, "--instructions", "What is it about?", "--out", out, "--json", "--quiet", ...model];

    const finished = async () => (await readFile(out, "utf8").catch(() => "")).split("\n").length - 2;
    const stopped = await optio(argv, {
      // Half way through, as a user would.
      signalWhen: async () => ((await finished()) >= 1 ? "SIGINT" : undefined),
    });
    expect(stopped.code).toBe(130);
    expect(JSON.parse(stopped.stdout)).toMatchObject({ interrupted: true });
    const kept = await finished();
    expect(kept).toBeGreaterThanOrEqual(1);
    expect(kept).toBeLessThan(rows.length);

    const resumed = await optio(argv);
    expect(resumed.code).toBe(0);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ n: rows.length, resumed: kept, failed: 0, interrupted: false });
  });

  it("refuses a text that is too long, by how many tokens", { timeout: patience }, async () => {
    const { code, stdout } = await optio(
      ["decide", "--noul", "Is it?", "--context", "64", "--json", "--quiet", ...model],
      {
        stdin: "word ".repeat(300),
      },
    );
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: "context_too_long", message: expect.stringMatching(/\d+ tokens/u) },
    });
  });

  it("ends with exit code 3 for a model that is none", { timeout: patience }, async () => {
    const path = join(folder, "page.gguf");
    await writeFile(path, "<!doctype html>");
    const { code, stderr } = await optio(["decide", "x", "--noul", "Is it?", "--model", path]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^error: .*\nhint: .*\n/u);
  });

  it("finds the fixture with doctor, and verifies it", { timeout: patience }, async () => {
    const doctor = await optio(["doctor", "--json"]);
    expect(doctor.code).toBe(0);
    expect(JSON.parse(doctor.stdout).engines).toContain("wasm");
    const verified = await optio(["models", "verify", "smollm2-135m-instruct", "--json"]);
    expect({ code: verified.code, ...JSON.parse(verified.stdout) }).toMatchObject({
      code: 0,
      models: [{ id: "smollm2-135m-instruct", ok: true, sha256: fixtureSha256 }],
    });
  });
});
