import { type ChildProcess, spawn } from "node:child_process";
import {
  type Frame,
  FrameKind,
  type FrameReader,
  FrameSplitter,
  OptioError,
  readError,
  readFrame,
} from "@optio/core/engines";

/** A native scorer as a child process: frames in, frames out. Whatever ends it rejects every pending call. */
export class ScorerProcess {
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, Pending>();
  readonly #splitter = new FrameSplitter();
  readonly #exited: Promise<void>;
  #lastWords = "";
  #ended: { readonly reason: unknown } | undefined;
  #hasSpoken = false;
  #nextId = 1;

  constructor(program: string, environment: NodeJS.ProcessEnv) {
    this.#child = spawn(program, [], { env: environment, stdio: ["pipe", "pipe", "pipe"] });
    this.#child.stdout?.on("data", (chunk: Buffer) => this.#receive(chunk));
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#lastWords = (this.#lastWords + text).slice(-2_000);
    });
    // Writing to a child that has just died must not become an uncaught error; its exit tells the story.
    this.#child.stdin?.on("error", () => undefined);
    this.#exited = new Promise((resolve) => {
      this.#child.once("error", (cause) => {
        this.#end(new OptioError("engine_start_failed", `${program} did not start: ${cause.message}`, { cause }));
        resolve();
      });
      this.#child.once("close", (code, signal) => {
        const how = signal === null ? `exit code ${code}` : signal;
        const words = this.#lastWords.trim();
        const kind = this.#hasSpoken ? "engine_crashed" : "engine_start_failed";
        this.#end(new OptioError(kind, `The native scorer stopped (${how})${words === "" ? "." : `: ${words}`}`));
        resolve();
      });
    });
    this.keepAlive(false);
  }

  /** Why no more calls can be made; `undefined` while the process runs. */
  get ended(): { readonly reason: unknown } | undefined {
    return this.#ended;
  }

  newId(): number {
    return this.#nextId++;
  }

  /** Sends a request and resolves with the payload of its result. */
  call(id: number, request: Uint8Array, onProgress?: (frame: Frame) => void): Promise<FrameReader> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended.reason);
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, onProgress });
      this.keepAlive(true);
      this.#child.stdin?.write(request);
    });
  }

  /** Whether the child keeps this process alive; it does so by itself while calls are pending. */
  keepAlive(alive: boolean): void {
    const handles = [this.#child, this.#child.stdin, this.#child.stdout, this.#child.stderr];
    for (const handle of handles as (Partial<{ ref(): void; unref(): void }> | null)[]) {
      if (alive) handle?.ref?.();
      else handle?.unref?.();
    }
  }

  /** Ends the process and rejects what is pending with `reason`; resolves once it is gone. */
  async stop(reason: unknown): Promise<void> {
    this.#end(reason);
    // Its end is waited for, so it must keep this process alive until then.
    this.keepAlive(true);
    this.#child.kill("SIGKILL");
    await this.#exited;
  }

  #receive(chunk: Buffer): void {
    try {
      for (const bytes of this.#splitter.push(chunk)) this.#dispatch(readFrame(bytes));
    } catch (error) {
      void this.stop(OptioError.from(error, "protocol_mismatch"));
    }
  }

  #dispatch(frame: Frame): void {
    this.#hasSpoken = true;
    const pending = this.#pending.get(frame.id);
    if (pending === undefined) return;
    if (frame.kind === FrameKind.progress) {
      pending.onProgress?.(frame);
      return;
    }
    this.#pending.delete(frame.id);
    if (this.#pending.size === 0) this.keepAlive(false);
    if (frame.kind === FrameKind.error) pending.reject(readError(frame.payload));
    else pending.resolve(frame.payload);
  }

  #end(reason: unknown): void {
    this.#ended ??= { reason };
    for (const { reject } of this.#pending.values()) reject(this.#ended.reason);
    this.#pending.clear();
  }
}

interface Pending {
  resolve(payload: FrameReader): void;
  reject(reason: unknown): void;
  readonly onProgress: ((frame: Frame) => void) | undefined;
}
