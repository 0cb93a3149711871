const units = ["kB", "MB", "GB", "TB"] as const;

/** Bytes for people, in decimal units and three digits: `98.4 MB`. */
export function byteSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  let value = bytes;
  let unit: (typeof units)[number] = "kB";
  for (const next of units) {
    value /= 1000;
    unit = next;
    if (value < 999.5) break;
  }
  return `${value.toPrecision(3)} ${unit}`;
}
