import { fake } from "@optio/core/testing";
import { describe, expect, it } from "vitest";
import { runCli } from "../testing/run-cli.js";

const line = (message: object) => new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

const hello = line({
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
});

function decide(id: number, state: string) {
  const questions = { angry: { type: "noul", instructions: "Angry?" } };
  return line({ id, method: "tools/call", params: { name: "decide", arguments: { state, questions } } });
}

/** A client that waits for so many answers before it closes stdin. */
function client(chunks: readonly Uint8Array[], answers: number) {
  let heard = 0;
  let tell: () => void = () => undefined;
  const done = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return {
    async *stdin() {
      yield* chunks;
      await done;
    },
    onOutput(text: string) {
      heard += text.split("\n").length - 1;
      if (heard >= answers) tell();
      return undefined;
    },
  };
}

describe("optio mcp", () => {
  it("answers on stdout, protocol only, and ends with 0 when stdin does", async () => {
    const engine = fake({ answers: { angry: true } });
    const { stdin, onOutput } = client([hello, decide(2, "You fools!"), decide(3, " ")], 3);
    const { code, stdout, stderr, requests } = await runCli(["mcp", "--policy", "accept=0.7,review=0.1"], {
      engine: () => engine,
      stdin: stdin(),
      onOutput,
    });
    const messages = stdout
      .trimEnd()
      .split("\n")
      .map((text) => JSON.parse(text));
    expect(messages.map(({ jsonrpc }) => jsonrpc)).toEqual(["2.0", "2.0", "2.0"]);
    const byId = new Map(messages.map((message) => [message.id, message.result]));
    expect(byId.get(1)).toMatchObject({ serverInfo: { name: "optio" } });
    expect(byId.get(2)).toMatchObject({ structuredContent: { answers: { angry: { value: true, action: "accept" } } } });
    expect(byId.get(3)).toMatchObject({ isError: true });
    expect({ code, stderr, kinds: requests.map(({ kind }) => kind) }).toEqual({ code: 0, stderr: "", kinds: ["wasm"] });
  });

  it("loads nothing before the first decision", async () => {
    const engine = fake();
    const { stdin, onOutput } = client([hello], 1);
    await runCli(["mcp"], { engine: () => engine, stdin: stdin(), onOutput });
    expect(engine.starts).toBe(0);
  });

  it("passes over a line that is no message, with a word on stderr", async () => {
    const broken = new TextEncoder().encode("hello?\n");
    const { stdin, onOutput } = client([broken, hello], 1);
    const { code, stdout, stderr } = await runCli(["mcp"], { engine: () => fake(), stdin: stdin(), onOutput });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: {} });
    expect(stderr).toMatch(/^warning: .+\n$/u);
  });

  it("ends a decision that is under way when stdin ends", async () => {
    const engine = fake({ delayMs: 60_000 });
    async function* stdin() {
      yield hello;
      yield decide(2, "Hi");
      await expect.poll(() => engine.calls).toBe(1);
    }
    const { code, stdout } = await runCli(["mcp"], { engine: () => engine, stdin: stdin() });
    expect(code).toBe(0);
    expect(stdout.trimEnd().split("\n")).toHaveLength(1);
  });

  it("ends on Ctrl-C while the client is silent", async () => {
    let interrupt: () => void = () => undefined;
    const { stdin } = client([hello], Number.POSITIVE_INFINITY);
    const { code } = await runCli(["mcp"], {
      engine: () => fake(),
      stdin: stdin(),
      onStart: (press) => {
        interrupt = press;
      },
      onOutput: () => {
        interrupt();
        return undefined;
      },
    });
    expect(code).toBe(0);
  });

  it("tells a person at a terminal what it is", async () => {
    const { stderr } = await runCli(["mcp"], { engine: () => fake() });
    expect(stderr).toContain("MCP clients start it");
  });

  it.each([
    [["--json"], "--json"],
    [["--engine", "remote"], "--url is missing"],
    [["--policy", "accept=2"], "accept=2"],
  ])("refuses %j before the client is answered", async (flags, message) => {
    const { code, stdout, stderr } = await runCli(["mcp", ...flags], { stdin: "" });
    expect(code).toBe(2);
    expect(stdout + stderr).toContain(message);
  });
});
