import { createDecider, type Decider, type DeciderOptions } from "../decider.js";
import type { EngineInfo, Progress } from "../engines/engine.js";
import { OptioError } from "../errors.js";
import type { EngineChoice, ModelOffer } from "./engine-choice.js";
import { type Failure, isIdle, isStarting, nextPhase, type Phase, type PhaseEvent } from "./phase.js";

/** Defaults of the session's decider. */
export type SessionSettings = Pick<DeciderOptions, "policy" | "readout">;

/** A model from the choice of it to its end, for as many users as share it. Downloads nothing before `start`. */
export class ModelSession {
  readonly #engines: EngineChoice;
  readonly #settings: SessionSettings;
  readonly #listeners = new Set<() => void>();
  #call: AbortController | undefined;
  #heard = { loaded: -1, at: 0 };
  phase: Phase = { kind: "empty" };
  offers: readonly ModelOffer[] = [];
  freeBytes: number | undefined;
  modelId: string;
  decider: Decider | undefined;
  info: EngineInfo | undefined;
  /** Milliseconds from the last byte to the first possible decision. */
  loadMs: number | undefined;

  constructor(engines: EngineChoice, settings: SessionSettings = {}) {
    this.#engines = engines;
    this.#settings = settings;
    this.modelId = engines.firstModel;
  }

  /** Calls `listener` after every change. Returns what ends that. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  get offer(): ModelOffer | undefined {
    return this.offers.find(({ id }) => id === this.modelId);
  }

  /** The host of the bridge, if there is one. */
  get bridge(): string | undefined {
    return this.#engines.bridge?.destination;
  }

  /** Looks at the browser and the models. */
  async open(): Promise<void> {
    const failure = this.#engines.unsupported();
    if (failure !== undefined) {
      this.#apply({ type: "unsupported", failure });
      if (this.#engines.bridge !== undefined) this.useBridge();
    }
    await this.refresh();
  }

  /** Takes another model; the one that runs is let go. */
  async choose(modelId: string): Promise<void> {
    if (!isIdle(this.phase) || modelId === this.modelId) return;
    this.modelId = modelId;
    this.#apply({ type: "empty" });
    await this.#letGo();
  }

  /** Downloads the model if need be, checks and loads it. */
  async start({ save = true }: { readonly save?: boolean } = {}): Promise<void> {
    if (!isIdle(this.phase)) return;
    this.#apply({ type: "start" });
    const call = new AbortController();
    this.#call = call;
    await this.#letGo();
    if (call.signal.aborted) return;
    const local = this.#engines.source(this.modelId, { save });
    const { bridge } = this.#engines;
    const decider = createDecider({
      ...this.#settings,
      ...(bridge === undefined ? { engine: local } : { engines: [local, bridge], fallback: { consent: true } }),
    });
    this.decider = decider;
    this.#heard = { loaded: -1, at: performance.now() };
    let loadStarted = performance.now();
    try {
      const info = await decider.ready({
        signal: call.signal,
        onProgress: (progress) => {
          if (progress.phase !== "load") loadStarted = performance.now();
          if (this.#call === call) this.#applyProgress(progress);
        },
      });
      if (call.signal.aborted) {
        await decider.close();
        return;
      }
      this.info = info;
      this.loadMs = performance.now() - loadStarted;
      this.#apply({ type: "ready", ...destinationOf(info) });
    } catch (error) {
      if (!call.signal.aborted) this.#apply({ type: "fail", failure: failureOf(error) });
    }
    await this.refresh();
  }

  /** Answers come from the bridge from now on; nothing is downloaded. */
  useBridge(): void {
    const { bridge } = this.#engines;
    if (bridge === undefined || isStarting(this.phase)) return;
    void this.#letGo();
    this.decider = createDecider({ ...this.#settings, engine: bridge });
    this.#apply({ type: "ready", destination: bridge.destination ?? "" });
  }

  /** Stops the download and keeps what has arrived. */
  pause(): void {
    if (this.phase.kind !== "downloading" && this.phase.kind !== "stalled") return;
    this.#apply({ type: "pause" });
    this.#call?.abort();
  }

  /** Calls off a check or a load; a downloaded model is kept. */
  stop(): void {
    if (!isStarting(this.phase)) return;
    this.#call?.abort();
    this.#apply({ type: "empty" });
  }

  /** Deletes what this browser keeps of the chosen model. */
  async discard(): Promise<void> {
    this.#call?.abort();
    this.#apply({ type: "empty" });
    try {
      await this.#letGo();
      await this.#engines.discard(this.modelId);
    } catch (error) {
      if (this.phase.kind === "empty") this.#apply({ type: "empty", failure: failureOf(error) });
    }
    await this.refresh();
  }

  /** Looks again at what is kept and what can be had. */
  async refresh(): Promise<void> {
    try {
      [this.offers, this.freeBytes] = await Promise.all([this.#engines.offers(), this.#engines.freeBytes()]);
    } catch (error) {
      if (this.phase.kind === "empty") this.#apply({ type: "empty", failure: failureOf(error) });
    }
    this.#changed();
  }

  /** Ends the engine. The session can be started again. */
  async close(): Promise<void> {
    this.#call?.abort();
    await this.#letGo();
    this.#apply({ type: "empty" });
  }

  async #letGo(): Promise<void> {
    const { decider } = this;
    this.decider = undefined;
    this.info = undefined;
    this.loadMs = undefined;
    await decider?.close();
  }

  #applyProgress(progress: Progress): void {
    const now = performance.now();
    if (progress.phase !== "download" || progress.loaded !== this.#heard.loaded) {
      this.#heard = { loaded: progress.phase === "download" ? progress.loaded : -1, at: now };
    }
    this.#apply({ type: "progress", progress, silentMs: now - this.#heard.at });
  }

  #apply(event: PhaseEvent): void {
    this.phase = nextPhase(this.phase, event);
    this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

export function failureOf(error: unknown): Failure {
  const { code, message, hint } = OptioError.from(error);
  return { code, message, hint };
}

function destinationOf({ destination }: EngineInfo): { readonly destination?: string } {
  return destination === undefined ? {} : { destination };
}
