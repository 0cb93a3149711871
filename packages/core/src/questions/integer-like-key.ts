/**
 * The first key that JavaScript moves to the front of an object, or undefined.
 *
 * Those are the array indices of ECMA-262: 0 to 2^32 - 2 in decimal without leading zeros.
 */
export function integerLikeKey(object: object): string | undefined {
  return Object.keys(object).find((key) => /^(?:0|[1-9]\d{0,9})$/u.test(key) && Number(key) < 2 ** 32 - 1);
}
