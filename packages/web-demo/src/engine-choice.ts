import type { EngineSource } from "@optio/core";
import type { Failure } from "./phase.js";

/** A model that the page offers. */
export interface ModelOffer {
  readonly id: string;
  readonly title: string;
  readonly bytes: number;
  /** SPDX id. */
  readonly licence: string;
  /** What was measured of it, as a sentence; absent where nothing was. */
  readonly quality?: string;
  /** Bytes that this browser keeps already, 0 to `bytes`. */
  readonly storedBytes: number;
  /** Whether the page's own server has the file. Unknown offline, which counts as no. */
  readonly served: boolean;
}

/** The one place that knows which engine the page runs and where its models come from. */
export interface EngineChoice {
  /** Why this browser cannot run the engine; `undefined` when it can. */
  unsupported(): Failure | undefined;
  offers(): Promise<readonly ModelOffer[]>;
  /** The model that is chosen at first. */
  readonly firstModel: string;
  source(modelId: string): EngineSource;
  /** Deletes what is kept of a model, complete or not. */
  discard(modelId: string): Promise<void>;
}
