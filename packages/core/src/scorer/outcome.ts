import { OptioError, type WireError } from "../errors.js";
import { CallAborted } from "./protocol.js";

/**
 * What a worker call gives back. Comlink carries an error's message only, so that code, hint, details and cause would
 * be lost: failures travel as values instead.
 */
export type Outcome<T> =
  | { readonly kind: "value"; readonly value: T }
  | { readonly kind: "failure"; readonly error: WireError }
  | { readonly kind: "aborted" };

/** Runs `work` and turns whatever it throws into a value. */
export async function outcomeOf<T>(work: () => T | Promise<T>): Promise<Outcome<T>> {
  try {
    return { kind: "value", value: await work() };
  } catch (error) {
    if (error instanceof CallAborted) return { kind: "aborted" };
    return { kind: "failure", error: crashCode(error).toWire() };
  }
}

/** The value, or the failure thrown as it was. */
export function unwrap<T>(outcome: Outcome<T>): T {
  switch (outcome.kind) {
    case "value":
      return outcome.value;
    case "failure":
      throw OptioError.fromWire(outcome.error);
    case "aborted":
      throw new CallAborted();
  }
}

/** A trap or an aborted module leaves its memory in an unknown state: only a new worker helps. */
function crashCode(error: unknown): OptioError {
  if (OptioError.isInstance(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof RangeError || /out of memory|memory\.grow|Cannot enlarge memory|OOM/i.test(message)) {
    return new OptioError("out_of_memory", `The scorer ran out of memory: ${message}`, { cause: error });
  }
  return new OptioError("engine_crashed", `The scorer stopped: ${message}`, { cause: error });
}
