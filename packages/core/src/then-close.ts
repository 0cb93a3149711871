/**
 * What `work` gives, after `close`, which runs in any case. When both fail, the error of `work` is the one to know: a `finally` would
 * put that of `close` in its place.
 */
export async function thenClose<T>(work: () => Promise<T>, close: () => Promise<unknown>): Promise<T> {
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
  await close();
  return result;
}
