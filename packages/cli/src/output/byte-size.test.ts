import { expect, it } from "vitest";
import { formatBytes } from "./byte-size.js";

it.each([
  [0, "0 bytes"],
  [999, "999 bytes"],
  [1000, "1.00 kB"],
  [98_362_432, "98.4 MB"],
  [999_600_000, "1.00 GB"],
  [1_117_320_768, "1.12 GB"],
])("writes %d as %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
