import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fake } from "@optio/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../testing/run-cli.js";

const questions = [
  "--choice",
  "team=Which team should handle this? | billing: Invoices and refunds | technical: Bugs | other",
  "--noul",
  "angry=Is the customer angry?",
  "--score",
  "urgency=How urgent is it? | can wait | this week | today",
];
const engine = fake({
  answers: { team: [0.9, 0.08, 0.02], angry: [0.17, 0.83], urgency: [0.1, 0.2, 0.7] },
  info: { backend: "hash", model: { id: "test-model", quantization: "Q4_1" }, threads: 2 },
});

describe("optio decide", () => {
  it("answers in words, with bars in the author's order, confidence, time, engine, model and tokens", async () => {
    const { code, stdout, stderr } = await runCli(["decide", "I was charged twice", ...questions], {
      engine: () => engine,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = stdout
      .replace(/[█▏▎▍▌▋▊▉]+/gu, "#")
      .replace(/ +/gu, " ")
      .replace(/\d+ ms/u, "5 ms")
      .split("\n");
    expect(lines).toEqual([
      "team: Which team should handle this?",
      "billing, 90 %",
      " ▶ billing # 90 %",
      " technical # 8 %",
      " other # 2 %",
      " confidence 85 %",
      "",
      "angry: Is the customer angry?",
      "No, 83 %",
      " yes # 17 %",
      " ▶ no # 83 %",
      " confidence 66 %",
      "",
      "urgency: How urgent is it?",
      "1.6 of 2, between this week and today",
      " 0 can wait # 10 %",
      " 1 this week # 20 %",
      " ▶ 2 today # 70 %",
      " confidence 55 %",
      "",
      expect.stringMatching(/^5 ms · fake hash, 2 threads · test-model Q4_1 · \d+ tokens$/u),
      "confidence by scaled-max",
      "",
    ]);
  });

  it("puts the action first when there is a policy", async () => {
    const { stdout } = await runCli(["decide", "x", ...questions, "--policy", "accept=0.8,review=0.6"], {
      engine: () => engine,
    });
    expect(stdout).toContain("● Accepted: billing, 90 %");
    expect(stdout).toContain("▲ Please check: No, 83 %");
    expect(stdout).toContain("■ For a specialist: 1.6 of 2");
  });

  it("writes escapes to a colour terminal only", async () => {
    const argv = ["decide", "x", ...questions];
    expect((await runCli(argv, { engine: () => engine, terminal: true })).stdout).toContain("\u001b[1m");
    expect((await runCli(argv, { engine: () => engine, terminal: true, env: { NO_COLOR: "1" } })).stdout).not.toContain(
      "\u001b",
    );
    expect((await runCli(argv, { engine: () => engine })).stdout).not.toContain("\u001b");
  });

  it("passes the flags on to the engine and the decision", async () => {
    const source = fake();
    const argv = ["decide", "some text", "--noul", "Is it?", "--engine", "native", "--model", "m", "--threads", "3"];
    const { requests } = await runCli(
      [
        ...argv,
        "--context",
        "512",
        "--readout",
        "sequence",
        "--orders",
        "2",
        "--prior",
        "--length",
        "per-token",
        "--no-reuse",
      ],
      { engine: () => source },
    );
    expect(requests).toEqual([{ kind: "native", model: "m", threads: 3, contextTokens: 512 }]);
    expect(source.requests[0]).toMatchObject({
      state: { kind: "text", text: "some text" },
      questions: [{ id: "noul" }],
      readout: { kind: "sequence", orders: 2, prior: true, length: "per-token" },
      reuse: false,
    });
  });

  it("leaves the readout to the model unless told", async () => {
    const source = fake();
    await runCli(["decide", "x", "--noul", "Is it?"], { engine: () => source });
    expect(source.requests[0]).toMatchObject({ readout: {}, reuse: true });
    await runCli(["decide", "x", "--noul", "Is it?", "--no-prior"], { engine: () => source });
    expect(source.requests[1]?.readout).toEqual({ prior: false });
  });

  it("prints the whole decision with --json", async () => {
    const { code, stdout, stderr } = await runCli(["decide", "x", ...questions, "--json"], { engine: () => engine });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      answers: {
        team: {
          type: "choice",
          choice: "billing",
          distribution: [{ option: "billing" }, { option: "technical" }, { option: "other" }],
        },
        angry: { type: "noul", noul: expect.closeTo(0.17), value: false },
        urgency: { type: "score", level: 2, score: expect.closeTo(1.6) },
      },
      receipt: { model: { id: "test-model" } },
      usage: { outputTokens: 0 },
    });
  });

  it("reads the text from stdin when there is none, or a dash", async () => {
    for (const argv of [["decide"], ["decide", "-"]]) {
      const source = fake();
      await runCli([...argv, "--noul", "Is it?"], { engine: () => source, stdin: "piped\ntext\n" });
      expect(source.requests[0]?.state).toEqual({ kind: "text", text: "piped\ntext\n" });
    }
  });

  it("prefers a text over stdin, and refuses an empty one with exit code 2", async () => {
    const source = fake();
    await runCli(["decide", "given", "--noul", "Is it?"], { engine: () => source, stdin: "piped" });
    expect(source.requests[0]?.state).toEqual({ kind: "text", text: "given" });
    const empty = await runCli(["decide", "--noul", "Is it?"], { engine: () => source, stdin: "" });
    expect(empty).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("empty text") });
  });

  it("numbers questions without an id, and keeps the typed order", async () => {
    const { stdout } = await runCli(
      ["decide", "x", "--noul", "A?", "--choice", "B? | 1 | 0", "--noul", "C?", "--json"],
      { engine: () => fake() },
    );
    const { answers } = JSON.parse(stdout);
    expect(Object.keys(answers)).toEqual(["noul", "choice", "noul2"]);
    expect(answers.choice.distribution.map(({ option }: { option: string }) => option)).toEqual(["1", "0"]);
  });

  it.each([
    ["engine_start_failed", 3],
    ["model_not_found", 3],
    ["internal", 1],
  ] as const)("ends with the exit code of %s when the engine does not start", async (code, exit) => {
    const result = await runCli(["decide", "x", "--noul", "Is it?"], { engine: () => fake({ failStartWith: code }) });
    expect(result).toMatchObject({ code: exit, stdout: "" });
    expect(result.stderr).toMatch(/^error: .+\nhint: .+\n$/u);
  });

  it("ends with exit code 3 at its time limit", async () => {
    const result = await runCli(["decide", "x", "--noul", "Is it?", "--timeout", "5ms", "--json"], {
      engine: () => fake({ delayMs: 60_000 }),
    });
    expect(result.code).toBe(3);
    expect(JSON.parse(result.stdout)).toMatchObject({ error: { code: "timeout", hint: expect.stringMatching(/\S/u) } });
  });

  it("ends with 130 on Ctrl-C", async () => {
    const result = await runCli(["decide", "x", "--noul", "Is it?"], {
      engine: () => fake({ delayMs: 60_000 }),
      onStart: (interrupt) => setTimeout(interrupt, 20),
    });
    expect(result).toMatchObject({ code: 130, stdout: "", stderr: "interrupted\n" });
  });

  it("warns on stderr, unless it is to be quiet", async () => {
    const source = fake({ answers: { noul: [0.2, 0.2] } });
    const result = await runCli(["decide", "x", "--noul", "Is it?"], { engine: () => source });
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining("sum to 0.4") });
  });

  describe("with files", () => {
    let folder = "";
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), "optio-decide-"));
    });
    afterEach(() => rm(folder, { recursive: true }));

    async function file(name: string, content: string): Promise<string> {
      await writeFile(join(folder, name), content);
      return join(folder, name);
    }

    it("takes questions from a file in the order of the text, then those typed", async () => {
      const path = await file(
        "q.json",
        '{"b":{"type":"choice","instructions":"Which?","criteria":{"2":"two","1":"one"}},"a":{"type":"noul","instructions":"Is it?"}}',
      );
      const { stdout } = await runCli(["decide", "x", "--questions", path, "--noul", "c=So?", "--json"], {
        engine: () => fake(),
      });
      const { answers } = JSON.parse(stdout);
      expect(Object.keys(answers)).toEqual(["b", "a", "c"]);
      expect(answers.b.distribution.map(({ option }: { option: string }) => option)).toEqual(["2", "1"]);
    });

    it("says where a questions file is wrong", async () => {
      const path = await file("q.json", '{"a": }');
      const result = await runCli(["decide", "x", "--questions", path], { engine: () => fake() });
      expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining("line 1, column 7") });
    });

    it("reads .json as JSON and everything else as text", async () => {
      const source = fake();
      await runCli(["decide", "--file", await file("s.json", '{"subject":"Refund"}'), "--noul", "Is it?"], {
        engine: () => source,
      });
      await runCli(["decide", "--file", await file("s.txt", '{"subject":"Refund"}'), "--noul", "Is it?"], {
        engine: () => source,
      });
      expect(source.requests.map(({ state }) => state)).toEqual([
        { kind: "json", value: { subject: "Refund" } },
        { kind: "text", text: '{"subject":"Refund"}' },
      ]);
      const broken = await runCli(["decide", "--file", await file("t.json", "{"), "--noul", "Is it?"], {
        engine: () => source,
      });
      expect(broken).toMatchObject({ code: 2, stderr: expect.stringContaining("is not JSON") });
    });

    it("refuses a profile that is none", async () => {
      const path = await file("p.json", '{"id":"x"}');
      const result = await runCli(["decide", "x", "--noul", "Is it?", "--profile", path], { engine: () => fake() });
      expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining("The prompt profile is not valid") });
    });
  });
});
