import { isAboutOneState, type Settled } from "../settled.js";

export interface GroupWork<T, R> {
  /** Items worked on together, at least 1. */
  readonly size: number;
  /** One result an item, in their order; `undefined` when they are too many to be worked on together. */
  readonly work: (group: readonly T[]) => Promise<readonly R[] | undefined>;
  readonly signal: AbortSignal;
}

/**
 * Works on items several at a time and yields their outcomes in order. A group that fails, or is too large, is halved, so
 * that a failure ends as the outcome of the item that causes it.
 *
 * @throws the signal's reason, and failures that are not about one item
 */
export async function* inGroups<T, R>(items: readonly T[], options: GroupWork<T, R>): AsyncGenerator<Settled<R>> {
  for (let next = 0; next < items.length; next += options.size) {
    yield* settle(items.slice(next, next + options.size), options);
  }
}

async function* settle<T, R>(group: readonly T[], options: GroupWork<T, R>): AsyncGenerator<Settled<R>> {
  const { work, signal } = options;
  signal.throwIfAborted();
  try {
    const results = await work(group);
    if (results !== undefined) {
      for (const value of results) yield { status: "fulfilled", value };
      return;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!isAboutOneState(error)) throw error;
    if (group.length === 1) {
      yield { status: "rejected", reason: error };
      return;
    }
  }
  const half = Math.ceil(group.length / 2);
  yield* settle(group.slice(0, half), options);
  yield* settle(group.slice(half), options);
}
