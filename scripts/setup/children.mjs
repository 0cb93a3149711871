import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, existsSync, mkdirSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";

const running = new Set();
let interrupted = false;

// Scripts start "node" by its name: where the path would give them another one than runs this process, this one goes first.
const path = ownNodeFirst(process.env.PATH ?? "");

function ownNodeFirst(path) {
  const found = path
    .split(delimiter)
    .map((folder) => join(folder, basename(process.execPath)))
    .find((file) => existsSync(file));
  if (found && realpathSync(found) === realpathSync(process.execPath)) return path;
  return [dirname(process.execPath), path].filter(Boolean).join(delimiter);
}

/** A command that ended badly, with the end of what it printed. */
export class CommandFailed extends Error {
  constructor(command, status, tail) {
    super(`${command} ${status}`);
    this.name = "CommandFailed";
    this.tail = tail;
  }
}

/**
 * Runs a program in a process group of its own, so that everything that it starts can be ended with it.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: Record<string, string>, log?: string, onLine?: (line: string) => void, input?: string }} [options]
 *   `log`: a file that gets all output. `onLine`: called with each line of output.
 * @returns {Promise<string>} the standard output
 */
export async function run(program, args, options = {}) {
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: { ...process.env, PATH: path, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const log = options.log ? openLog(options.log) : undefined;
  const tail = [];
  const output = [];
  const take = (line, isOutput) => {
    log?.write(`${line}\n`);
    tail.push(line);
    if (tail.length > 40) tail.shift();
    if (isOutput) output.push(line);
    options.onLine?.(line);
  };
  const read = Promise.all([
    once(
      createInterface({ input: child.stdout }).on("line", (line) => take(line, true)),
      "close",
    ),
    once(
      createInterface({ input: child.stderr }).on("line", (line) => take(line, false)),
      "close",
    ),
  ]);
  try {
    const status = await ended(child);
    // A program ends before the last of its lines has been taken; one that never started has none.
    if (child.pid !== undefined) await read;
    if (status !== "ended with status 0") throw new CommandFailed([program, ...args].join(" "), status, tail);
    return output.join("\n");
  } finally {
    // Whoever is told of a failure looks into the log next.
    if (log) await new Promise((resolve) => log.end(resolve));
  }
}

/** As `run`, but the program writes straight to this terminal; resolves with its exit status. */
export async function runInTerminal(program, args, options = {}) {
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: { ...process.env, PATH: path, ...options.env },
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
  const status = await ended(child);
  return child.exitCode ?? (status.includes("could not be started") ? 127 : 1);
}

function ended(child) {
  return new Promise((resolve) => {
    running.add(child);
    const settle = (status) => {
      running.delete(child);
      // After an interrupt nobody goes on: the process is about to end.
      if (!interrupted) resolve(status);
    };
    child.once("error", (error) => settle(`could not be started: ${error.message}`));
    child.once("close", (code, signal) => settle(signal ? `was ended by ${signal}` : `ended with status ${code}`));
  });
}

function openLog(path) {
  mkdirSync(dirname(path), { recursive: true });
  return createWriteStream(path, { flags: "a" });
}

/**
 * Ends all children, with what they started, when this process is told to end, and then leaves with status 130.
 *
 * @param {() => void} [beforeExit] called once the children are gone
 */
export function endChildrenOnInterrupt(beforeExit = () => {}) {
  const stop = () => {
    if (interrupted) return;
    interrupted = true;
    const children = [...running];
    for (const child of children) signalGroup(child, "SIGTERM");
    const gone = Promise.all(children.map((child) => new Promise((resolve) => child.once("close", resolve))));
    const patience = new Promise((resolve) => setTimeout(resolve, 5000));
    void Promise.race([gone, patience]).then(() => {
      for (const child of children) signalGroup(child, "SIGKILL");
      beforeExit();
      process.exit(130);
    });
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, stop);
}

function signalGroup(child, signal) {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is gone already.
  }
}
