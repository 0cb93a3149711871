import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StoreProgress } from "../store/store-platform.js";
import { nodeLock } from "./node-lock.js";

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "optio-lock-"));
});
afterEach(() => rm(root, { recursive: true }));

const quick = { beatMs: 20, staleMs: 60_000 };
const progress: StoreProgress = { phase: "download", loaded: 1, total: 2, bytesPerSecond: 3 };

async function lockOf(holder: { pid: number; at: number; host?: string }): Promise<void> {
  await mkdir(join(root, "locks"), { recursive: true });
  const text = JSON.stringify({ token: "other", host: hostname(), ...holder });
  await writeFile(join(root, "locks", "model.lock"), text);
}

/** The number of a process that has ended. */
function endedPid(): Promise<number> {
  const child = spawn(process.execPath, ["-e", ""]);
  return new Promise((resolve) => child.on("exit", () => resolve(child.pid ?? 0)));
}

describe("a lock between processes", () => {
  it("is held by one at a time", async () => {
    const lock = nodeLock(root, quick);
    let holders = 0;
    let most = 0;
    const work = async () => {
      const held = await lock.hold("model", {});
      holders += 1;
      most = Math.max(most, holders);
      await pause(5);
      holders -= 1;
      await held.release();
    };
    await Promise.all(Array.from({ length: 6 }, work));
    expect(most).toBe(1);
    expect(await readdir(join(root, "locks"))).toEqual([]);
  });

  it("shows those who wait how far the holder is", async () => {
    const held = await nodeLock(root, quick).hold("model", {});
    held.report(progress);
    const seen: StoreProgress[] = [];
    const second = nodeLock(root, quick).hold("model", { onWait: (news) => seen.push(news) });
    await pause(150);
    await held.release();
    await (await second).release();
    expect(seen).toContainEqual(progress);
  });

  it("says who holds it to those who do not want to wait", async () => {
    const held = await nodeLock(root, quick).hold("model", {});
    await expect(nodeLock(root, quick).hold("model", { wait: false })).rejects.toMatchObject({
      code: "store_busy",
      details: { pid: process.pid },
    });
    await held.release();
  });

  it("lets those who wait give up", async () => {
    const held = await nodeLock(root, quick).hold("model", {});
    const controller = new AbortController();
    const second = nodeLock(root, quick).hold("model", { signal: controller.signal });
    setTimeout(() => controller.abort("enough"), 30);
    await expect(second).rejects.toBe("enough");
    await held.release();
  });

  it("is taken over at once from a process that has ended, by one only", async () => {
    await lockOf({ pid: await endedPid(), at: Date.now() });
    let holders = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        const held = await nodeLock(root, quick).hold("model", {});
        holders += 1;
        most = Math.max(most, holders);
        await pause(5);
        holders -= 1;
        await held.release();
      }),
    );
    expect(most).toBe(1);
  });

  it("is not taken from another machine's process before it was silent for long", async () => {
    await lockOf({ pid: 1, at: Date.now(), host: "elsewhere" });
    await expect(nodeLock(root, quick).hold("model", { wait: false })).rejects.toMatchObject({ code: "store_busy" });
    await lockOf({ pid: 1, at: Date.now() - 61_000, host: "elsewhere" });
    await (await nodeLock(root, quick).hold("model", { wait: false })).release();
  });

  it("tells a holder that it was taken over, which then leaves the new lock alone", async () => {
    const sleeper = await nodeLock(root, quick).hold("model", {});
    await rm(join(root, "locks", "model.lock"));
    const held = await nodeLock(root, quick).hold("model", {});
    await pause(100);
    expect(sleeper.lost.reason).toMatchObject({ code: "store_busy" });
    sleeper.report(progress);
    await sleeper.release();
    expect(await readdir(join(root, "locks"))).toEqual(["model.lock"]);
    expect(held.lost.aborted).toBe(false);
    await held.release();
  });
});
