import { OptioError } from "../errors.js";

/** Runs `build`; an error of it gets the path of the question in front of its message and in its details. */
export function locateErrors<T>(path: readonly string[], build: () => T): T {
  try {
    return build();
  } catch (error) {
    if (!OptioError.isInstance(error) || path.length === 0) throw error;
    const where = path.join(".");
    throw new OptioError(error.code, `${where}: ${error.message}`, {
      hint: error.hint,
      details: { path: where, ...error.details },
      ...(error.cause === undefined ? {} : { cause: error.cause }),
    });
  }
}
