/**
 * No event tells a page that a browser ended one of its workers, but a worker's Web Locks are released when it goes: the
 * worker holds one for as long as it lives, and the page waits for it.
 */

/** In the worker: holds a lock from now on. Resolves with its name; `undefined` where there are no locks. */
export function holdLifeLock(): Promise<string | undefined> {
  if (!("locks" in navigator)) return Promise.resolve(undefined);
  const name = `optio-worker-${crypto.randomUUID()}`;
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(name, () => {
        resolve(name);
        return new Promise<never>(() => undefined);
      })
      .catch(reject);
  });
}

/** In the page: calls `onDeath` once the worker that holds the lock is gone. */
export function watchLife(lock: string, stop: AbortSignal, onDeath: () => void): void {
  navigator.locks.request(lock, { signal: stop }, onDeath).catch(() => undefined);
}
