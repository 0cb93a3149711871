import { fake } from "@optio/core/testing";
import { describe, expect, it } from "vitest";
import { runCli } from "../testing/run-cli.js";

describe("optio decide --jsonl", () => {
  const argv = ["decide", "--jsonl", "--noul", "q=Is it?"];
  const linesOf = (stdout: string) =>
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));

  it("answers line by line, goes on after bad lines, and ends with exit code 5", async () => {
    const source = fake({ failWith: (call) => (call === 2 ? "context_too_long" : undefined) });
    const stdin =
      '"first"\n{"id": 7, "state": "second"}\n{"id": "c", "text": "no state"}\n\nnot json\n{"state": {"a": 1}}\n12\n';
    const { code, stdout, stderr } = await runCli(argv, { engine: () => source, stdin });
    expect({ code, stderr }).toEqual({ code: 5, stderr: "4 of 6 lines failed\n" });
    const lines = linesOf(stdout);
    expect(lines[0]).toMatchObject({ line: 1, answers: { q: { type: "noul" } }, receipt: {} });
    expect(lines[1]).toEqual({
      line: 2,
      id: 7,
      error: { code: "context_too_long", message: expect.any(String), hint: expect.any(String) },
    });
    expect(lines[2]).toMatchObject({
      line: 3,
      id: "c",
      error: { code: "invalid_state", message: 'Line 3 has no "state"; it has id, text.' },
    });
    expect(lines[3]).toMatchObject({
      line: 5,
      error: {
        code: "invalid_state",
        message: expect.stringContaining("Line 5 is not JSON"),
        hint: expect.any(String),
      },
    });
    expect(lines[4]).toMatchObject({ line: 6, answers: {} });
    expect(lines[5]).toMatchObject({
      line: 7,
      error: { message: "Line 7 is 12, which is neither text nor an object." },
    });
  });

  it("takes the text from another member", async () => {
    const source = fake();
    const { code } = await runCli([...argv, "--field", "body"], { engine: () => source, stdin: '{"body":"text"}\n' });
    expect(code).toBe(0);
    expect(source.requests[0]?.state).toEqual({ kind: "text", text: "text" });
  });

  it("has nothing to say about nothing, which is no failure", async () => {
    expect(await runCli(argv, { engine: () => fake(), stdin: "" })).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  it("answers each line before the next one comes", async () => {
    const seen: string[] = [];
    async function* stdin() {
      for (const text of ["one", "two", "three"]) {
        seen.push(`in ${text}`);
        yield new TextEncoder().encode(`"${text}"\n`);
      }
    }
    await runCli(argv, {
      engine: () => fake(),
      stdin: stdin(),
      onOutput: (text) => void seen.push(`out ${JSON.parse(text).line}`),
    });
    expect(seen).toEqual(["in one", "out 1", "in two", "out 2", "in three", "out 3"]);
  });

  it("keeps finished lines and ends with 130 on Ctrl-C, also while it waits for input", async () => {
    let interrupt = (): void => undefined;
    async function* stdin() {
      yield new TextEncoder().encode('"one"\n');
      interrupt();
      await new Promise(() => undefined);
    }
    const result = await runCli(argv, {
      engine: () => fake(),
      stdin: stdin(),
      onStart: (press) => (interrupt = press),
    });
    expect(result).toMatchObject({ code: 130, stderr: "interrupted\n" });
    expect(linesOf(result.stdout)).toMatchObject([{ line: 1 }]);
  });

  it("stops quietly when the reader goes away", async () => {
    const source = fake();
    const stdin = '"one"\n"two"\n"three"\n';
    const { code, stderr } = await runCli(argv, { engine: () => source, stdin, onOutput: () => true });
    expect({ code, stderr, calls: source.calls }).toEqual({ code: 0, stderr: "", calls: 1 });
  });

  it("ends with exit code 3 and no lines when the engine does not start", async () => {
    const result = await runCli([...argv, "--json"], {
      engine: () => fake({ failStartWith: "out_of_memory" }),
      stdin: '"one"\n',
    });
    expect(result.code).toBe(3);
    expect(JSON.parse(result.stdout)).toMatchObject({ error: { code: "out_of_memory" } });
  });
});
