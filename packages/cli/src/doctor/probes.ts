import type { WasmVariant } from "@optio/core";

/** What `optio doctor` asks of a machine; each probe reports facts and judges nothing. */
export interface DoctorProbes {
  runtime(): RuntimeFacts;
  cpu(): Promise<CpuFacts>;
  memory(): MemoryFacts;
  wasm(): WasmFacts;
  /** The files of the WebAssembly scorer. */
  artefacts(): Promise<ArtefactFacts>;
  /** The native program, started and asked for its name. */
  native(): Promise<NativeFacts>;
  cache(): Promise<CacheFacts>;
}

export interface RuntimeFacts {
  /** Without a `v`. */
  readonly node: string;
  readonly platform: string;
  readonly arch: string;
}

export interface CpuFacts {
  readonly model: string;
  /** Logical processors that this process may use. */
  readonly processors: number;
  /** Of the ones that the kernels use, by the names of the system; absent where the system does not tell. */
  readonly features?: readonly string[];
}

export interface MemoryFacts {
  readonly totalBytes: number;
  /** What a new process could take, limits of a container included. */
  readonly availableBytes: number;
}

export interface WasmFacts {
  readonly simd: boolean;
  readonly relaxedSimd: boolean;
  readonly threads: boolean;
}

export interface ArtefactFacts {
  readonly folder: string;
  /** By file name. */
  readonly files: readonly ArtefactFile[];
  /** What the manifest says was built, such as the release of llama.cpp; absent without a manifest. */
  readonly built?: string;
}

export interface ArtefactFile {
  readonly name: string;
  readonly variant: WasmVariant;
  readonly state: "good" | "missing" | "changed" | "unlisted";
}

export type NativeFacts =
  | { readonly state: "running"; readonly program: string; readonly backend: string; readonly llamaRelease: string }
  | { readonly state: "unusable"; readonly why: string; readonly todo: string };

export interface CacheFacts {
  readonly folder: string;
  readonly writable: boolean;
  /** Absent when unknown. */
  readonly freeBytes?: number;
  readonly why?: string;
}
