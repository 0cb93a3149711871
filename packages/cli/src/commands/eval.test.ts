import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fake } from "@optio/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../testing/run-cli.js";

const noul = (id: string, family: string, state: string, expected: string) =>
  JSON.stringify({
    id,
    family,
    state,
    question: { type: "noul", instructions: "Is it permitted?" },
    labels: ["no", "yes"],
    expected,
  });
const tasks = [
  noul("p1", "policy", "allowed", "yes"),
  noul("p2", "policy", "forbidden", "no"),
  JSON.stringify({
    id: "i1",
    family: "intent",
    state: "allowed",
    question: { type: "choice", instructions: "Which?", criteria: { b: null, a: null } },
    labels: ["b", "a"],
    expected: "a",
  }),
  JSON.stringify({
    id: "o1",
    family: "ordinal",
    state: "allowed",
    question: { type: "score", instructions: "How bad?", criteria: ["a", "b", "c"] },
    labels: ["0", "1", "2"],
    expected: 1,
  }),
].join("\n");

function testEngine(options: Parameters<typeof fake>[0] = {}) {
  return fake({
    info: { model: { id: "test-model", sha256: "ab".repeat(32) }, threads: 2 },
    ...options,
  });
}

describe("optio eval", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "optio-eval-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function file(name: string, content: string): Promise<string> {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  }

  /** One yes/no row a state; the fake says yes to those with a plus. */
  const rows = (states: readonly string[]) =>
    states.map((state, index) => noul(`r${index + 1}`, "all", state, "yes")).join("\n");
  const plus = (options: Parameters<typeof fake>[0] = {}) =>
    testEngine({ answers: { decision: (state) => state.kind === "text" && state.text.includes("+") }, ...options });
  const linesOf = async (path: string) =>
    (await readFile(path, "utf8"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));

  it("measures accuracy in all and by family on every type of question", async () => {
    const source = testEngine({
      answers: { decision: (state) => (state.kind === "text" && state.text === "forbidden" ? [0.1, 0.9] : [0.8, 0.2]) },
    });
    const path = await file("two.jsonl", tasks.split("\n").slice(0, 3).join("\n"));
    const { code, stdout, stderr } = await runCli(["eval", path, "--json"], { engine: () => source });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      data: { file: "two.jsonl", sha256: expect.stringMatching(/^[0-9a-f]{64}$/u) },
      model: { id: "test-model", sha256: "ab".repeat(32) },
      readout: { kind: "letter", orders: 1, prior: false },
      profile: null,
      engine: { kind: "fake", threads: 2 },
      machine: { cpu: "Test CPU", processors: 4 },
      rows: 3,
      n: 3,
      correct: 2,
      accuracy: expect.closeTo(2 / 3),
      interval: { low: expect.closeTo(0.2077, 3), high: expect.closeTo(0.9385, 3) },
      families: [
        { family: "policy", n: 2, correct: 2 },
        { family: "intent", n: 1, correct: 0 },
      ],
      latency: { n: 3, p50Ms: expect.any(Number), p95Ms: expect.any(Number) },
      meanConfidence: expect.closeTo((0.6 + 0.8 + 0.6) / 3),
      gate: null,
    });
  });

  it("asks a score by its levels, and counts the most probable one", async () => {
    const source = testEngine({ answers: { decision: [0.2, 0.5, 0.3] } });
    const path = await file("score.jsonl", tasks.split("\n")[3] ?? "");
    const { stdout } = await runCli(["eval", path, "--json"], { engine: () => source });
    expect(JSON.parse(stdout)).toMatchObject({ n: 1, correct: 1 });
  });

  it("prints a table for people", async () => {
    const path = await file("rows.jsonl", rows(["+", "+", "-", "+"]));
    const { code, stdout } = await runCli(["eval", path], { engine: () => plus() });
    expect(code).toBe(0);
    const lines = stdout.split("\n");
    expect(lines[0]).toBe("rows.jsonl: test-model, letter, one order, no prior, fake hash, 2 threads");
    expect(lines[3]).toBe("in all      3   4   75 %     30 to 95 %");
    expect(lines[5]).toMatch(/^time a row {4}p50 \d+ ms, slowest \d+ ms$/u);
  });

  it("reads CSV, with the labels as options", async () => {
    const source = testEngine({ answers: { decision: "card lost" } });
    const path = await file("rows.csv", "text,label\na,card_lost\nb,exchange_rate\n");
    const argv = ["eval", path, "--instructions", "What is it about?", "--out", join(folder, "out.jsonl"), "--json"];
    const { code, stdout } = await runCli(argv, { engine: () => source });
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, n: 2, correct: 1 });
    expect(source.requests[0]?.questions[0]?.question.options.map(({ key }) => key)).toEqual([
      "card lost",
      "exchange rate",
    ]);
    expect((await linesOf(join(folder, "out.jsonl")))[1]).toMatchObject({
      expected: "card_lost",
      answer: "card_lost",
      distribution: [{ option: "card_lost" }, { option: "exchange_rate" }],
    });
    const without = await runCli(["eval", path], { engine: () => source });
    expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining("--instructions") });
  });

  it("goes on after bad rows and failed ones, names them, and ends with exit code 5", async () => {
    const path = await file("rows.jsonl", `${rows(["+", "+", "+"])}\nnot json\n`);
    const source = plus({ failWith: (call) => (call === 2 ? "timeout" : undefined) });
    const { code, stdout, stderr } = await runCli(["eval", path, "--json"], { engine: () => source });
    expect(code).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject({ n: 3, correct: 2, failed: 1, unusable: 1 });
    expect(stderr).toContain("line 2: ");
    expect(stderr).toContain("line 4: Line 4 is not JSON");
  });

  it("asks only as many rows as told", async () => {
    const source = plus();
    const path = await file("rows.jsonl", rows(["+", "+", "+"]));
    const { stdout } = await runCli(["eval", path, "--limit", "2", "--json"], { engine: () => source });
    expect(JSON.parse(stdout)).toMatchObject({ rows: 2, n: 2 });
    expect(source.calls).toBe(2);
  });

  it.each([
    ["0.3", 0],
    ["0.31", 4],
  ])("judges --fail-under %s by the lower end of the interval: exit code %d", async (bound, code) => {
    const path = await file("rows.jsonl", rows(["+", "+", "-", "+"]));
    const result = await runCli(["eval", path, "--fail-under", bound, "--json"], { engine: () => plus() });
    expect(result.code).toBe(code);
    expect(JSON.parse(result.stdout).gate).toEqual({
      failUnder: Number(bound),
      low: expect.closeTo(0.3006, 3),
      passed: code === 0,
    });
  });

  it("fails the gate when nothing was asked", async () => {
    const result = await runCli(["eval", await file("none.jsonl", ""), "--fail-under", "0"], { engine: () => plus() });
    expect(result).toMatchObject({ code: 4, stdout: expect.stringContaining("No rows were asked.") });
  });

  describe("with --out", () => {
    it("keeps finished rows on Ctrl-C with exit code 130, and goes on from there", async () => {
      const path = await file("rows.jsonl", rows(["+", "+", "-", "+"]));
      const out = join(folder, "out.jsonl");
      let interrupt = (): void => undefined;
      const stopping = plus({
        failWith: (call) => {
          if (call === 3) interrupt();
          return undefined;
        },
        delayMs: 5,
      });
      const first = await runCli(["eval", path, "--out", out], {
        engine: () => stopping,
        onStart: (press) => (interrupt = press),
      });
      expect(first).toMatchObject({
        code: 130,
        stderr: expect.stringContaining("of 4 rows; the same command goes on from here"),
      });
      const kept = (await linesOf(out)).length - 1;
      expect(kept).toBeGreaterThanOrEqual(2);
      expect(kept).toBeLessThan(4);

      const source = plus();
      const second = await runCli(["eval", path, "--out", out, "--json"], { engine: () => source });
      expect(second).toMatchObject({ code: 0, stderr: `${kept} rows were taken from the earlier run\n` });
      expect(JSON.parse(second.stdout)).toMatchObject({ n: 4, correct: 3, resumed: kept });
      expect(source.calls).toBe(4 - kept);
    });

    it("asks failed rows again", async () => {
      const path = await file("rows.jsonl", rows(["+", "+"]));
      const out = join(folder, "out.jsonl");
      await runCli(["eval", path, "--out", out], {
        engine: () => plus({ failWith: (call) => (call === 1 ? "timeout" : undefined) }),
      });
      const source = plus();
      const { code, stdout } = await runCli(["eval", path, "--out", out, "--json"], { engine: () => source });
      expect({ code, calls: source.calls }).toEqual({ code: 0, calls: 1 });
      expect(JSON.parse(stdout)).toMatchObject({ n: 2, correct: 2, failed: 0 });
    });

    it.each([
      [
        "another model",
        [],
        { info: { model: { id: "test-model", sha256: "cd".repeat(32) } } },
        "model was abababababab, now cdcdcdcdcdcd",
      ],
      [
        "another readout",
        ["--orders", "2"],
        {},
        "readout was letter, one order, no prior, now letter, two orders, no prior",
      ],
      [
        "another profile",
        [],
        {
          info: {
            model: { id: "test-model", sha256: "ab".repeat(32) },
            profile: { id: "plain", version: 1, sha256: "ef".repeat(32) },
          },
        },
        "profile was none, now plain 1 efefefefefef",
      ],
    ] as const)("refuses to go on with %s", async (_, flags, options, message) => {
      const path = await file("rows.jsonl", rows(["+"]));
      const argv = ["eval", path, "--out", join(folder, "out.jsonl")];
      await runCli(argv, { engine: () => plus({ info: { model: { id: "test-model", sha256: "ab".repeat(32) } } }) });
      const refused = await runCli([...argv, ...flags], {
        engine: () => plus({ info: { model: { id: "test-model", sha256: "ab".repeat(32) } }, ...options }),
      });
      expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(message) });
      const replaced = await runCli([...argv, ...flags, "--no-resume"], { engine: () => plus(options) });
      expect(replaced.code).toBe(0);
    });
  });
});
