/** `no`: not possible on this machine as it is; `warning`: possible, but worth knowing. */
export type CheckStatus = "ok" | "warning" | "no";

/** One line of `optio doctor`. */
export interface Check {
  readonly id: string;
  readonly title: string;
  readonly status: CheckStatus;
  /** What was found. */
  readonly found: string;
  /** Why it is not as it should be; with every status but `ok`. */
  readonly why?: string;
  /** What to do about it; likewise. */
  readonly todo?: string;
}

export interface Diagnosis {
  readonly checks: readonly Check[];
  /** Engines that can decide here. */
  readonly engines: readonly ("wasm" | "native")[];
}
