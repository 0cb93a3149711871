import type { Endpoint } from "comlink";

/** A worker of this platform, as far as the client needs to know it. */
export interface WorkerHandle {
  readonly endpoint: Endpoint;
  /** Called with the reason once the worker has died by itself; never after `terminate`. */
  onDeath(listener: (reason: string) => void): void;
  /** Whether the worker keeps the process alive; has no effect in a browser. */
  keepAlive(alive: boolean): void;
  terminate(): void;
}
