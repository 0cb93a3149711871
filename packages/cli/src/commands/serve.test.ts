import { describe, expect, it } from "vitest";
import { runCli } from "../testing/run-cli.js";

describe("optio serve", () => {
  it("shows the settings in effect, without secrets", async () => {
    const flags = ["--port", "9000", "--key", "hush", "--policy", "accept=0.9,review=0.5", "--timeout", "30s"];
    const { code, stdout } = await runCli(["serve", "--check-config", ...flags], { env: { OPTIO_MAX_QUEUE: "5" } });
    expect(code).toBe(0);
    expect(stdout).not.toContain("hush");
    expect(JSON.parse(stdout)).toMatchObject({
      host: "127.0.0.1",
      port: 9000,
      keys: ["(hidden)"],
      policy: { accept: 0.9, review: 0.5 },
      timeoutMs: 30_000,
      maxQueue: 5,
    });
  });

  it.each([
    [["--host", "0.0.0.0"], "without any key"],
    [["--engine", "gpu"], "engine"],
    [["--port", "80000"], "--port"],
    [["--config", "/nowhere/none.json"], "/nowhere/none.json"],
  ])("refuses %j", async (flags, message) => {
    const { code, stderr } = await runCli(["serve", "--check-config", ...flags]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it("does not download a model unasked", async () => {
    const { code, stderr } = await runCli(["serve", "--port", "0"], {
      store: { status: async () => ({ state: "absent" }) } as never,
    });
    expect(code).toBe(2);
    expect(stderr).toContain("not on this machine yet");
  });
});
