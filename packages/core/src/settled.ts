import { type ErrorCode, OptioError } from "./errors.js";

/** The outcome of one of several pieces of work; of the shape of `Promise.allSettled`, with a typed reason. */
export type Settled<T> =
  | { readonly status: "fulfilled"; readonly value: T }
  | { readonly status: "rejected"; readonly reason: OptioError };

/** What can be wrong with one state while others are answered. */
const aboutOneState: readonly ErrorCode[] = [
  "invalid_state",
  "context_too_long",
  "reserved_token",
  "engine_crashed",
  "out_of_memory",
  "non_finite_scores",
  "degenerate_scores",
  "low_label_mass",
  "invalid_distribution",
  "internal",
];

/** Whether a failure may be the fault of one state, so that others are worth trying; a deadline or a closed engine is not. */
export function isAboutOneState(error: unknown): error is OptioError {
  return OptioError.isInstance(error, ...aboutOneState);
}
