import type { EngineSource } from "../engines/engine.js";
import type { Failure } from "./phase.js";

/** A model that is offered to a user. */
export interface ModelOffer {
  readonly id: string;
  readonly title: string;
  /** 0 where the size is not known yet. */
  readonly bytes: number;
  /** SPDX id; absent where nothing says. */
  readonly licence?: string;
  /** Host that it is downloaded from; absent for the page's own. */
  readonly origin?: string;
  /** What was measured of it, as a sentence; absent where nothing was. */
  readonly quality?: string;
  /** Bytes that this browser keeps already, 0 to `bytes`. */
  readonly storedBytes: number;
  /** Whether it can be downloaded now. */
  readonly available: boolean;
}

/** Where a session's engines and models come from. */
export interface EngineChoice {
  /** Why this browser cannot run the engine; `undefined` when it can. */
  unsupported(): Failure | undefined;
  offers(): Promise<readonly ModelOffer[]>;
  /** The model that is chosen at first. */
  readonly firstModel: string;
  /** @param save false: the model is not kept in this browser */
  source(modelId: string, options: { readonly save: boolean }): EngineSource;
  /** A server to ask where the model here cannot answer; its address was given by whoever made the page. */
  readonly bridge?: EngineSource;
  /** Deletes what is kept of a model, complete or not. */
  discard(modelId: string): Promise<void>;
  /** Bytes that can still be kept here; `undefined` when that cannot be known. */
  freeBytes(): Promise<number | undefined>;
}
