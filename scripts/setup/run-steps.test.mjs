import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runSteps, StepFailed } from "./run-steps.mjs";

let folder;
let printed;
let options;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "optio-steps-"));
  printed = "";
  options = {
    stream: { write: (text) => (printed += text) },
    cache: folder,
    stamps: { cache: join(folder, "stamps"), clone: join(folder, "clone-stamps") },
    logs: join(folder, "logs"),
  };
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A step that writes a file and counts its runs. */
function step(id, { inputs = () => "1", place = "cache", needs = [], work } = {}) {
  const result = join(folder, id);
  const self = {
    id,
    title: `Step ${id}`,
    place,
    inputs,
    needs,
    runs: 0,
    intact: () => existsSync(result),
    work: async (tools) => {
      self.runs += 1;
      if (work) await work(tools);
      writeFileSync(result, id);
    },
  };
  return self;
}

describe("the steps of the set-up", () => {
  it("run once, and are skipped while their inputs stay", async () => {
    const steps = [step("a"), step("b", { place: "clone" })];
    expect(await runSteps(steps, options)).toEqual({ done: ["a", "b"] });
    expect(await runSteps(steps, options)).toEqual({ done: [] });
    expect(steps.map(({ runs }) => runs)).toEqual([1, 1]);
    expect(printed).toContain("[2/2] Step b: done");
    expect(printed).toContain("all 2 steps are up to date");
  });

  it("run again when an input changes, and so do those that need them", async () => {
    let input = "1";
    const first = step("first", { inputs: () => input });
    const second = step("second", { needs: [first] });
    const third = step("third");
    await runSteps([first, second, third], options);
    input = "2";
    expect(await runSteps([first, second, third], options)).toEqual({ done: ["first", "second"] });
  });

  it("run again when their result is gone", async () => {
    const only = step("only");
    await runSteps([only], options);
    rmSync(join(folder, "only"));
    expect(await runSteps([only], options)).toEqual({ done: ["only"] });
  });

  it("leave no stamp when they fail, show the end of the output, and are tried again", async () => {
    let broken = true;
    const failing = step("failing", {
      work: async ({ run }) => {
        await run("sh", ["-c", `echo what went wrong; exit ${broken ? 3 : 0}`]);
      },
    });
    const after = step("after");
    const failure = await runSteps([failing, after], options).catch((error) => error);
    expect(failure).toBeInstanceOf(StepFailed);
    expect(failure.message).toMatch(/status 3/);
    expect(failure.message).toMatch(/what went wrong/);
    expect(readFileSync(join(folder, "logs/failing.log"), "utf8")).toBe("what went wrong\n");
    expect(after.runs).toBe(0);
    broken = false;
    expect(await runSteps([failing, after], options)).toEqual({ done: ["failing", "after"] });
  });

  it("fail when they end well without their result", async () => {
    const empty = { ...step("empty"), work: async () => {} };
    await expect(runSteps([empty], options)).rejects.toThrow(/its result is not there/);
  });

  it("say which program could not be started", async () => {
    const lost = step("lost", { work: ({ run }) => run("no-such-program", []) });
    await expect(runSteps([lost], options)).rejects.toThrow(/no-such-program.*could not be started/s);
  });

  it("run one set-up at a time: the second finds the work of the first", async () => {
    const work = () => pause(300);
    const mine = step("shared", { work });
    const theirs = step("shared", { work });
    await Promise.all([runSteps([mine], options), runSteps([theirs], options)]);
    expect(mine.runs + theirs.runs).toBe(1);
    expect(printed).toContain("Waiting for another set-up");
  });
});

describe("an interrupted set-up", () => {
  /** Starts a set-up in a process of its own and waits until its children run. */
  async function interruptible() {
    const program = fileURLToPath(new URL("./test/slow-step.mjs", import.meta.url));
    const child = spawn(process.execPath, [program, folder], { stdio: "ignore" });
    const sleeping = join(folder, "sleeping");
    while (!existsSync(sleeping) || readFileSync(sleeping, "utf8") === "") await pause(20);
    return { child, ended: once(child, "exit"), sleeper: Number(readFileSync(sleeping, "utf8")) };
  }

  it.each(["SIGINT", "SIGTERM"])("ends everything that it started on %s, and leaves with 130", async (signal) => {
    const { child, ended, sleeper } = await interruptible();
    child.kill(signal);
    expect(await ended).toEqual([130, null]);
    // The one who adopts an orphan may take a second to notice its end.
    await expect.poll(() => isAlive(sleeper), { timeout: 10_000 }).toBe(false);
    expect(existsSync(join(folder, "stamps/slow.json"))).toBe(false);
    expect(existsSync(join(folder, "setup.lock"))).toBe(false);
  });

  it("killed outright, leaves a lock that the next one takes over", async () => {
    const { child, ended, sleeper } = await interruptible();
    child.kill("SIGKILL");
    await ended;
    process.kill(sleeper);
    expect(existsSync(join(folder, "setup.lock"))).toBe(true);
    expect(await runSteps([step("next")], options)).toEqual({ done: ["next"] });
    expect(existsSync(join(folder, "setup.lock"))).toBe(false);
  });

  function isAlive(pid) {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  }
});
