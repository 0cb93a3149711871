import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Progress } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished } from "vitest";

const program = fileURLToPath(new URL("../../bin/optio.js", import.meta.url));
const argv = [program, "mcp", "--model", "smollm2-135m-instruct", "--yes"];
const fixtureSha256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53";

/** A model is at work on a machine that may be busy. */
const patience = 180_000;

const questions = {
  team: { type: "choice", instructions: "Which team?", criteria: { billing: "Refunds", technical: "Bugs" } },
  angry: { type: "noul", instructions: "Is the customer angry?" },
};

interface Structured {
  readonly answers: Record<string, { readonly probabilities: Record<string, number>; readonly action?: string }>;
}

describe("the SDK's client and the real program", () => {
  it("lists, decides with progress, reports errors, cancels and goes on", { timeout: patience }, async () => {
    const env = Object.fromEntries(
      Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    const transport = new StdioClientTransport({ command: process.execPath, args: argv, env, stderr: "pipe" });
    let stderr = "";
    transport.stderr?.on("data", (chunk) => {
      stderr += String(chunk);
    });
    const client = new Client({ name: "test", version: "1" });
    const failures: Error[] = [];
    // Anything on stdout that is no message ends up here.
    client.onerror = (error) => failures.push(error);
    await client.connect(transport);
    onTestFinished(() => client.close());
    const options = { timeout: patience };

    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["decide", "decide_many", "list_models"]);
    const { structuredContent: listed } = await client.callTool({ name: "list_models", arguments: {} });
    expect(listed).toMatchObject({
      engine: { kind: "wasm", model: "smollm2-135m-instruct" },
      models: expect.arrayContaining([expect.objectContaining({ id: "smollm2-135m-instruct", sha256: fixtureSha256 })]),
    });

    const heard: Progress[] = [];
    const state = "I was charged twice, please fix this today";
    const decided = await client.callTool({ name: "decide", arguments: { state, questions, accept: 0 } }, undefined, {
      ...options,
      onprogress: (progress) => heard.push(progress),
    });
    const { answers } = decided.structuredContent as unknown as Structured;
    for (const { probabilities, action } of Object.values(answers)) {
      expect(Object.values(probabilities).reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 9);
      expect(action).toBe("accept");
    }
    expect(decided.structuredContent).toMatchObject({
      receipt: { engine: { kind: "wasm" }, model: { id: "smollm2-135m-instruct", sha256: fixtureSha256 } },
    });
    expect(heard.map(({ message }) => message).join()).toMatch(/loading the model.*reading/u);

    const long = "word ".repeat(20_000);
    const refused = await client.callTool(
      { name: "decide", arguments: { state: long, questions } },
      undefined,
      options,
    );
    expect(refused).toMatchObject({ isError: true });
    expect(JSON.stringify(refused.content)).toMatch(/context_too_long.*hint/u);

    const controller = new AbortController();
    const states = Array.from({ length: 200 }, (_, index) => `Message ${index}: ${"please help me ".repeat(40)}`);
    const many = client.callTool({ name: "decide_many", arguments: { states, questions } }, undefined, {
      ...options,
      signal: controller.signal,
      onprogress: () => controller.abort("enough"),
    });
    await expect(many).rejects.toThrow();
    const began = performance.now();
    const next = await client.callTool({ name: "decide", arguments: { state, questions } }, undefined, options);
    expect(next.structuredContent).toMatchObject({ answers: { angry: { type: "noul" } } });
    // All 200 would take minutes.
    expect(performance.now() - began).toBeLessThan(30_000);

    expect({ failures, stderr }).toEqual({ failures: [], stderr: "" });
  });

  it.each(["its stdin closes", "SIGTERM"])(
    "ends by itself with exit code 0 on %s",
    { timeout: patience },
    async (how) => {
      const child = spawn(process.execPath, argv, { stdio: ["pipe", "pipe", "inherit"] });
      onTestFinished(() => void child.kill("SIGKILL"));
      const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
      let stdout = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        stdout += text;
      });
      const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
      const clientInfo = { name: "test", version: "1" };
      send({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
      send({ method: "notifications/initialized" });
      send({ id: 2, method: "tools/call", params: { name: "decide", arguments: { state: "Refund me", questions } } });
      await expect.poll(() => stdout.split("\n").length - 1, { timeout: patience }).toBe(2);
      for (const text of stdout.trimEnd().split("\n")) expect(JSON.parse(text)).toMatchObject({ jsonrpc: "2.0" });
      if (how === "SIGTERM") child.kill("SIGTERM");
      else child.stdin.end();
      expect(await ended).toBe(0);
    },
  );
});
