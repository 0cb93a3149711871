import { mkdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { OptioError } from "../errors.js";
import type { HeldLock, HoldOptions, StoreLock, StoreProgress } from "../store/store-platform.js";

/** A holder touches its lock this often; one that did not for `staleMs` is taken for dead. */
const beatMs = 2_000;
const staleMs = 20_000;
const lookMs = 200;

const progressSchema = z.union([
  z.object({ phase: z.literal("download"), loaded: z.number(), total: z.number(), bytesPerSecond: z.number() }),
  z.object({ phase: z.literal("verify"), loaded: z.number(), total: z.number() }),
]);
const holderSchema = z.object({
  pid: z.number(),
  host: z.string(),
  token: z.string(),
  progress: progressSchema.optional(),
});

/** Locks as files in the store's folder `locks`, made exclusively; their text says who holds them and how far the work is. */
export function nodeLock(root: string): StoreLock {
  return {
    async hold(name, options) {
      const path = join(root, "locks", `${name}.lock`);
      await mkdir(join(root, "locks"), { recursive: true });
      const token = `${process.pid}-${Math.random().toString(36).slice(2)}`;
      for (;;) {
        options.signal?.throwIfAborted();
        if (await create(path, token)) return new FileLock(path, token);
        await waitOnce(path, name, options);
      }
    },
  };
}

async function create(path: string, token: string): Promise<boolean> {
  try {
    await writeFile(path, textOf(token), { flag: "wx" });
    return true;
  } catch (error) {
    if (typeof error === "object" && error !== null && "code" in error && error.code === "EEXIST") return false;
    throw new OptioError("store_failed", `${path} could not be made: ${String(error)}`, { cause: error });
  }
}

async function waitOnce(path: string, name: string, { wait = true, signal, onWait }: HoldOptions): Promise<void> {
  const holder = await holderOf(path);
  if (holder === "dead") {
    await rm(path, { force: true });
    return;
  }
  if (!wait) {
    throw new OptioError(
      "store_busy",
      `Another process${holder === undefined ? "" : ` (${holder.pid})`} is working on ${name}.`,
    );
  }
  if (holder?.progress !== undefined) onWait?.(holder.progress);
  await pause(lookMs, undefined, signal === undefined ? {} : { signal }).catch(() => signal?.throwIfAborted());
}

/** Who holds a lock; `undefined` while that cannot be read, `dead` when nobody does any more. */
async function holderOf(path: string): Promise<z.infer<typeof holderSchema> | "dead" | undefined> {
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined) return undefined;
  const old = Date.now() - facts.mtimeMs > staleMs;
  let holder: z.infer<typeof holderSchema> | undefined;
  try {
    holder = holderSchema.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return old ? "dead" : undefined;
  }
  const gone = holder.host === hostname() && !isAlive(holder.pid);
  return old || gone ? "dead" : holder;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return typeof error === "object" && error !== null && "code" in error && error.code === "EPERM";
  }
}

function textOf(token: string, progress?: StoreProgress): string {
  return JSON.stringify({ pid: process.pid, host: hostname(), token, ...(progress === undefined ? {} : { progress }) });
}

class FileLock implements HeldLock {
  readonly #path: string;
  readonly #token: string;
  readonly #lost = new AbortController();
  readonly #beat: NodeJS.Timeout;
  #writing: Promise<unknown> = Promise.resolve();
  #reportedAt = 0;
  #released = false;

  constructor(path: string, token: string) {
    this.#path = path;
    this.#token = token;
    this.#beat = setInterval(() => void this.#keep(), beatMs);
    this.#beat.unref();
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  report(progress: StoreProgress): void {
    const now = Date.now();
    if (now - this.#reportedAt < lookMs || this.#released || this.lost.aborted) return;
    this.#reportedAt = now;
    this.#writing = this.#writing.then(() =>
      writeFile(this.#path, textOf(this.#token, progress)).catch(() => undefined),
    );
  }

  async release(): Promise<void> {
    this.#released = true;
    clearInterval(this.#beat);
    await this.#writing;
    if (await this.#isOurs()) await rm(this.#path, { force: true });
  }

  async #keep(): Promise<void> {
    if (this.#released) return;
    if (await this.#isOurs()) {
      const now = new Date();
      await utimes(this.#path, now, now).catch(() => undefined);
    } else if (!this.#released) {
      this.#lost.abort(new OptioError("store_busy", "Another process took over the lock of this model."));
    }
  }

  async #isOurs(): Promise<boolean> {
    await this.#writing;
    try {
      return holderSchema.parse(JSON.parse(await readFile(this.#path, "utf8"))).token === this.#token;
    } catch {
      return false;
    }
  }
}
