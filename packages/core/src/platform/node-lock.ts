import { randomUUID } from "node:crypto";
import { type FileHandle, link, mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import { OptioError } from "../errors.js";
import { pause } from "../pause.js";
import type { HeldLock, HoldOptions, StoreLock, StoreProgress } from "../store/store-platform.js";

interface NodeLockSettings {
  /** Milliseconds between two signs of life. Default 1,000. */
  readonly beatMs: number;
  /** Milliseconds without one after which a holder counts as gone. Default 60,000. */
  readonly staleMs: number;
}

const defaultLock: NodeLockSettings = { beatMs: 1_000, staleMs: 60_000 };

const progressSchema = z.union([
  z.object({ phase: z.literal("download"), loaded: z.number(), total: z.number(), bytesPerSecond: z.number() }),
  z.object({ phase: z.literal("verify"), loaded: z.number(), total: z.number() }),
  z.object({ phase: z.literal("evict"), id: z.string(), freedBytes: z.number() }),
]);

/** What a lock file holds. */
const holderSchema = z.object({
  token: z.string(),
  pid: z.int().positive(),
  host: z.string(),
  /** Time of the last sign of life, in milliseconds since 1970. */
  at: z.number(),
  progress: progressSchema.optional(),
});

type Holder = z.infer<typeof holderSchema>;

/** Locks as files in the store's folder `locks`, which exist while held and tell who holds them and how far the work is. */
export function nodeLock(root: string, settings: NodeLockSettings = defaultLock): StoreLock {
  return { hold: (name, options) => hold(join(root, "locks", `${name}.lock`), name, settings, options) };
}

async function hold(path: string, name: string, settings: NodeLockSettings, options: HoldOptions): Promise<HeldLock> {
  const { wait = true, signal, onWait } = options;
  for (;;) {
    signal?.throwIfAborted();
    const held = await locking(path, () => tryToHold(path, settings));
    if (held !== undefined) return held;
    const holder = await holderOf(path);
    if (!(await locking(path, () => stays(path, holder, settings)))) continue;
    if (!wait) {
      const who = holder === undefined ? "another process" : `process ${holder.pid}`;
      throw new OptioError("store_busy", `${who} is working on ${name}`, {
        details: { name, ...(holder === undefined ? {} : { pid: holder.pid }) },
      });
    }
    if (holder?.progress !== undefined) onWait?.(holder.progress);
    await pause(Math.min(250, settings.beatMs), signal);
  }
}

async function tryToHold(path: string, settings: NodeLockSettings): Promise<HeldLock | undefined> {
  await mkdir(dirname(path), { recursive: true });
  let file: FileHandle;
  try {
    file = await open(path, "wx+");
  } catch (cause) {
    if (codeOf(cause) === "EEXIST") return undefined;
    throw cause;
  }
  const lock = new HeldFile(path, file, settings);
  try {
    await lock.start();
    return lock;
  } catch (cause) {
    await file.close();
    await rm(path, { force: true });
    throw cause;
  }
}

/** False when the lock may be tried again at once: its holder was gone, or has given it back just now. */
async function stays(path: string, holder: Holder | undefined, settings: NodeLockSettings): Promise<boolean> {
  if (await isGone(path, holder, settings)) {
    await takeAway(path, holder);
    return false;
  }
  return holder !== undefined || (await orUndefined(stat(path))) !== undefined;
}

class HeldFile implements HeldLock {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #token = randomUUID();
  readonly #settings: NodeLockSettings;
  readonly #lost = new AbortController();
  #progress: StoreProgress | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #beating: Promise<void> = Promise.resolve();

  constructor(path: string, file: FileHandle, settings: NodeLockSettings) {
    this.#path = path;
    this.#file = file;
    this.#settings = settings;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async start(): Promise<void> {
    await this.#beat();
    this.#timer = setInterval(() => {
      this.#beating = this.#beating.then(() => this.#check());
    }, this.#settings.beatMs);
    this.#timer.unref();
  }

  report(progress: StoreProgress): void {
    this.#progress = progress;
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beating;
    const mine = (await holderOf(this.#path))?.token === this.#token;
    await locking(this.#path, async () => {
      await this.#file.close();
      if (mine) await rm(this.#path, { force: true });
    });
  }

  /** Writes in place: a file that was taken away meanwhile has no name any more, so nobody is misled. */
  async #beat(): Promise<void> {
    const holder: Holder = {
      token: this.#token,
      pid: process.pid,
      host: hostname(),
      at: Date.now(),
      progress: this.#progress,
    };
    await this.#file.write(JSON.stringify(holder).padEnd(512), 0, "utf8");
  }

  async #check(): Promise<void> {
    const holder = await holderOf(this.#path);
    const taken =
      holder === undefined ? (await orUndefined(readFile(this.#path))) === undefined : holder.token !== this.#token;
    if (taken) {
      clearInterval(this.#timer);
      this.#lost.abort(new OptioError("store_busy", "another process took over while this one slept"));
      return;
    }
    // A disk that is full for a moment is no reason to give up the lock.
    await this.#beat().catch(() => undefined);
  }
}

async function holderOf(path: string): Promise<Holder | undefined> {
  try {
    return holderSchema.safeParse(JSON.parse(await readFile(path, "utf8"))).data;
  } catch {
    return undefined;
  }
}

async function isGone(path: string, holder: Holder | undefined, { staleMs }: NodeLockSettings): Promise<boolean> {
  // Somebody who is just writing it, or who died before that.
  const at = holder?.at ?? (await orUndefined(stat(path)))?.mtimeMs ?? Date.now();
  // The number of a dead process may be another's by now, and other machines' processes cannot be asked: time decides then.
  if (Date.now() - at > staleMs) return true;
  return holder?.host === hostname() && !isAlive(holder.pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

// Two may find the same dead holder: the slower one can meet the faster one's new lock, and puts it back.
async function takeAway(path: string, gone: Holder | undefined): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  if ((await orUndefined(rename(path, aside).then(() => true))) === undefined) return;
  if ((await holderOf(aside))?.token !== gone?.token) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

/** `undefined` instead of an error for what is not there. */
async function orUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function locking<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OptioError("store_failed", `${path} could not be locked: ${reason}`, { cause });
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
