import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const optio = fileURLToPath(new URL("../../../cli/bin/optio.js", import.meta.url));

export const fixtureModel = join(
  process.env["OPTIO_CACHE"] || join(homedir(), ".cache/optio"),
  "models/b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53/SmolLM2-135M-Instruct.Q4_1.gguf",
);

export interface Program extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
}

/** Runs `optio serve` as a process of its own until it is ready. */
export async function serveProgram(...flags: readonly string[]): Promise<Program> {
  const child = spawn(
    process.execPath,
    [optio, "serve", "--port", "0", "--model", fixtureModel, "--log-level", "info", ...flags],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const url = await addressOf(child);
  while ((await fetch(`${url}/readyz`)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 100));
  return {
    url,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => child.once("close", resolve));
      child.kill("SIGTERM");
      await ended;
    },
  };
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let log = "";
    child.once("close", (code) => reject(new Error(`optio serve ended (${code}): ${log.slice(-2_000)}`)));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-10_000);
      const url = /"url":"([^"]+)"/u.exec(log)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
}

/** A process and those that it started. */
export function familyOf(pid: number): readonly number[] {
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/stat`, "utf8").split(") ")[1]?.split(" ")[1] === String(pid);
      } catch {
        return false;
      }
    })
    .map(Number);
  return [pid, ...children.flatMap(familyOf)];
}

/** Resident bytes of a process and those that it started. */
export function residentBytes(pid: number): number {
  return familyOf(pid).reduce((sum, each) => {
    const kibibytes = /^VmRSS:\s*(\d+)/mu.exec(readFileSync(`/proc/${each}/status`, "utf8"))?.[1];
    return sum + Number(kibibytes ?? 0) * 1_024;
  }, 0);
}
