/** One array after the other. */
export function joinBytes(arrays: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(arrays.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const bytes of arrays) {
    all.set(bytes, offset);
    offset += bytes.length;
  }
  return all;
}
