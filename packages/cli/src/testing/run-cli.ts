import { type Engine, type EngineSource, type ModelStore, OptioError, type StoredModel } from "@optio/core";
import type { CliContext, EngineRequest, Output } from "../context.js";
import { run } from "../main.js";
import { goodProbes } from "./good-probes.js";

export interface RunSettings {
  readonly engine?: (request: EngineRequest) => EngineSource | Engine;
  /** By default one that has every model already. */
  readonly store?: ModelStore;
  /** Absent: stdin is a terminal. */
  readonly stdin?: string | AsyncIterable<Uint8Array>;
  readonly env?: NodeJS.ProcessEnv;
  /** Whether stdout and stderr are terminals. */
  readonly terminal?: boolean;
  readonly probes?: CliContext["probes"];
  /** The answer to any question; without one, asking fails the test. */
  readonly answer?: boolean;
  /** Called with what presses Ctrl-C. */
  readonly onStart?: (interrupt: () => void) => void;
  /** Sees every piece of stdout as it is written; true makes the reader go away. */
  readonly onOutput?: (text: string) => boolean | undefined;
}

export interface RunResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly requests: readonly EngineRequest[];
  readonly asked: readonly string[];
}

/** Runs the real program in this process, with another world around it. */
export async function runCli(argv: readonly string[], settings: RunSettings = {}): Promise<RunResult> {
  const stdout = new Capture(settings.terminal ?? false, settings.onOutput);
  const stderr = new Capture(settings.terminal ?? false);
  const requests: EngineRequest[] = [];
  const asked: string[] = [];
  const { stdin } = settings;
  const context: CliContext = {
    stdin: {
      isTerminal: stdin === undefined,
      chunks: () => (stdin === undefined || typeof stdin === "string" ? once(stdin ?? "") : stdin),
      close: () => undefined,
    },
    stdout,
    stderr,
    env: settings.env ?? {},
    now: () => performance.now(),
    engine(request) {
      requests.push(request);
      if (settings.engine === undefined) throw new OptioError("internal", "This test has no engine.");
      return settings.engine(request);
    },
    store() {
      return settings.store ?? everythingStored;
    },
    probes: settings.probes ?? goodProbes,
    machine: () => ({
      platform: "linux",
      arch: "x64",
      cpu: "Test CPU",
      processors: 4,
      memoryBytes: 16e9,
      node: "20.19.0",
    }),
    onInterrupt(listener) {
      settings.onStart?.(listener);
      return () => undefined;
    },
    async ask(question) {
      asked.push(question);
      if (settings.answer === undefined) throw new OptioError("internal", `Nobody expected the question: ${question}`);
      return settings.answer;
    },
  };
  const code = await run(argv, context);
  return { code, stdout: stdout.text, stderr: stderr.text, requests, asked };
}

class Capture implements Output {
  readonly isTerminal: boolean;
  readonly columns = 80;
  readonly #onOutput: ((text: string) => boolean | undefined) | undefined;
  text = "";
  closed = false;

  constructor(isTerminal: boolean, onOutput?: (text: string) => boolean | undefined) {
    this.isTerminal = isTerminal;
    this.#onOutput = onOutput;
  }

  async write(text: string): Promise<void> {
    if (this.closed) return;
    this.text += text;
    if (this.#onOutput?.(text)) this.closed = true;
  }
}

const model: StoredModel = {
  id: "test-model",
  fileName: "test-model.gguf",
  sizeBytes: 1000,
  sha256: "ab".repeat(32),
  trust: "first-use",
  pinned: false,
  file: { kind: "path", path: "/models/test-model.gguf" },
};

const everythingStored: ModelStore = {
  list: async () => [model],
  status: async () => ({ state: "stored", model }),
  get: async () => model,
  add: async () => model,
  verify: async () => model,
  remove: async () => ({ id: model.id, freedBytes: model.sizeBytes }),
  pin: async () => model,
  export: async () => new Blob([]),
};

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}
