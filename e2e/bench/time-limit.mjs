export class OverTimeLimit extends Error {}

/**
 * @template T
 * @param {Promise<T>} work
 * @param {number} limitMs
 * @returns {Promise<T>}
 */
export function within(work, limitMs) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new OverTimeLimit(`over the limit of ${limitMs / 1000} s`)), limitMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
