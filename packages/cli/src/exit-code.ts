import { type ErrorCode, OptioError } from "@optio/core";

/** What the program ends with; scripts may rely on these numbers. */
export const exitCodes = {
  ok: 0,
  internal: 1,
  usage: 2,
  engine: 3,
  gate: 4,
  rows: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitCodesHelp = `Exit codes:
  0    done
  1    internal error: a defect of optio
  2    usage: a flag, a question or an input that cannot be used
  3    model or engine: missing, damaged, too slow, out of memory
  4    gate: the result is below --fail-under
  5    some rows failed; all others are in the output
  130  interrupted (Ctrl-C); finished rows are kept`;

// Every code of core appears, so that a new one cannot be forgotten.
const exitCodeOfError: Readonly<Record<ErrorCode, ExitCode>> = {
  invalid_state: exitCodes.usage,
  invalid_question: exitCodes.usage,
  invalid_options: exitCodes.usage,
  ambiguous_option_order: exitCodes.usage,
  invalid_schema: exitCodes.usage,
  invalid_setting: exitCodes.usage,
  context_too_long: exitCodes.usage,
  too_many_options: exitCodes.usage,
  reserved_token: exitCodes.usage,
  template_failed: exitCodes.engine,
  labels_unusable: exitCodes.engine,
  model_not_found: exitCodes.engine,
  model_invalid: exitCodes.engine,
  model_unsupported: exitCodes.engine,
  download_failed: exitCodes.engine,
  download_stalled: exitCodes.engine,
  hash_mismatch: exitCodes.engine,
  no_space: exitCodes.engine,
  store_busy: exitCodes.engine,
  store_failed: exitCodes.engine,
  engine_unavailable: exitCodes.engine,
  engine_start_failed: exitCodes.engine,
  engine_crashed: exitCodes.engine,
  engine_closed: exitCodes.engine,
  protocol_mismatch: exitCodes.engine,
  out_of_memory: exitCodes.engine,
  queue_full: exitCodes.engine,
  timeout: exitCodes.engine,
  access_denied: exitCodes.engine,
  overloaded: exitCodes.engine,
  request_refused: exitCodes.engine,
  non_finite_scores: exitCodes.engine,
  degenerate_scores: exitCodes.engine,
  low_label_mass: exitCodes.engine,
  invalid_distribution: exitCodes.engine,
  internal: exitCodes.internal,
};

/** The exit code for a thrown value; one that a later version of core made up counts as internal. */
export function exitCodeFor(error: unknown): ExitCode {
  if (!OptioError.isInstance(error)) return exitCodes.internal;
  return exitCodeOfError[error.code] ?? exitCodes.internal;
}
