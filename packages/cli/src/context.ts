import type { Engine, EngineSource, ModelStore, PromptProfile } from "@optio/core";
import type { DoctorProbes } from "./doctor/probes.js";

/** Everything that a command takes from outside, so that tests can run the real program in their own process. */
export interface CliContext {
  readonly stdin: Input;
  /** Data only. */
  readonly stdout: Output;
  /** Progress, warnings and errors. */
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds of a clock that never goes back. */
  now(): number;
  /** What computes; nothing is loaded yet. */
  engine(request: EngineRequest): EngineSource | Engine;
  /** The models on this machine; created on first use. */
  store(): ModelStore;
  /** What `optio doctor` looks at. */
  readonly probes: DoctorProbes;
  /** Facts about the machine, for reports. */
  machine(): Machine;
  /** Calls back on Ctrl-C, and when the system asks the process to end, until the returned function is called. */
  onInterrupt(listener: () => void): () => void;
  /** Asks a yes/no question; only called when stdin and stdout are terminals and `CI` is unset. */
  ask(question: string): Promise<boolean>;
}

export interface Input {
  readonly isTerminal: boolean;
  chunks(): AsyncIterable<Uint8Array>;
  /** Reads no more: an open pipe keeps a process alive. */
  close(): void;
}

export interface Output {
  readonly isTerminal: boolean;
  readonly columns?: number;
  /** True once the reader went away, as `head` does; later writes do nothing. */
  readonly closed: boolean;
  /** Resolves when the text was taken. */
  write(text: string): Promise<void>;
}

export type EngineName = EngineRequest["kind"];

export type CodecName = SageMakerRequest["codec"];

export type GpuLayers = number | "all" | "auto";

/** What the flags say about the engine. */
export type EngineRequest = LocalRequest | RemoteRequest | SageMakerRequest;

export interface LocalRequest {
  readonly kind: "wasm" | "native";
  /** Catalogue id, id of an added model, path or address; the catalogue's default when absent. */
  readonly model?: string;
  readonly threads?: number;
  readonly contextTokens?: number;
  /** Layers on a graphics card; only of the native engine. */
  readonly gpuLayers?: GpuLayers;
  /** Wording of the prompt; the model's own when absent. */
  readonly profile?: PromptProfile;
}

/** A System One server. */
export interface RemoteRequest {
  readonly kind: "remote";
  readonly url: string;
  /** As the server calls it. */
  readonly model?: string;
}

export interface SageMakerRequest {
  readonly kind: "sagemaker";
  readonly endpoint: string;
  readonly codec: "chat" | "semif" | "systemone";
  readonly endpointUrl?: string;
  readonly region?: string;
  readonly inferenceComponent?: string;
  readonly coldStartMs?: number;
  readonly model?: string;
  readonly profile?: PromptProfile;
}

export interface Machine {
  readonly platform: string;
  readonly arch: string;
  readonly cpu: string;
  /** Logical processors. */
  readonly processors: number;
  readonly memoryBytes: number;
  readonly node: string;
}
