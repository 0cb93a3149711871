import { describe, expect, it } from "vitest";
import { runCli } from "./testing/run-cli.js";

describe("usage", () => {
  it("shows help on stderr and exits 2 without a command", async () => {
    const { code, stdout, stderr } = await runCli([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("Usage: optio");
  });

  it("shows help on stdout when asked, with the exit codes", async () => {
    const { code, stdout, stderr } = await runCli(["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("130  interrupted");
  });

  it.each([
    "decide",
    "eval",
    "models",
    "models list",
    "models pull",
    "models add",
    "models verify",
    "models remove",
    "doctor",
    "mcp",
  ])("has help for %s that fits the screen", async (command) => {
    const { code, stdout } = await runCli([...command.split(" "), "--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: optio ${command}`);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(82);
  });

  it("prints the version", async () => {
    expect(await runCli(["--version"])).toMatchObject({ code: 0, stdout: "0.1.0\n" });
  });

  it.each([
    [["decide", "x", "--no-such-flag"], "Unknown option '--no-such-flag'."],
    [["decide", "x", "y"], "Too many arguments"],
    [["decid", "x"], "Unknown command 'decid'"],
    [["decide", "x", "--engine", "gpu"], "argument 'gpu' is invalid"],
    [["decide", "x", "--threads", "none", "--noul", "a?"], "--threads takes a whole number"],
    [["decide", "x"], "There is no question."],
    [["decide", "--noul", "a?"], "There is nothing to decide about."],
    [["decide", "x", "--file", "y", "--noul", "a?"], "There is a text and a --file as well."],
    [["decide", "--file", "/no/such/file", "--noul", "a?"], "/no/such/file does not exist."],
    [["decide", "x", "--noul", "q=a?", "--noul", "q=b?"], 'Two questions are called "q".'],
    [["decide", "x", "--choice", "q=a? | b"], "has 1 option"],
    [["decide", "x", "--jsonl", "--noul", "a?"], "With --jsonl the text comes from stdin"],
    [["decide", "--jsonl", "--noul", "a?"], "stdin is a terminal"],
    [["eval"], "Missing required argument 'file'"],
    [["eval", "/no/such/file"], "/no/such/file does not exist."],
    [["models", "fetch"], "Unknown command 'fetch'"],
  ])("refuses %j with exit code 2, a message and a hint on stderr", async (argv, message) => {
    const { code, stdout, stderr } = await runCli(argv);
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/^error: .+\nhint: .+\n/u);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it("gives the error as JSON on stdout with --json", async () => {
    const { code, stdout, stderr } = await runCli(["decide", "x", "--json", "--policy", "accept=2"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: "invalid_setting",
        message: expect.stringContaining("--policy accept=2"),
        hint: expect.stringMatching(/\S/u),
      },
    });
  });

  it("takes --json after -- as text", async () => {
    const { stdout, stderr } = await runCli(["decide", "--", "--json"]);
    expect(stdout).toBe("");
    expect(stderr).toContain("There is no question.");
  });

  it("colours errors on a terminal only", async () => {
    expect((await runCli(["decide", "x"], { terminal: true })).stderr).toContain("\u001b[31m");
    expect((await runCli(["decide", "x"], { terminal: true, env: { NO_COLOR: "1" } })).stderr).not.toContain("\u001b");
    expect((await runCli(["decide", "x"])).stderr).not.toContain("\u001b");
  });
});
