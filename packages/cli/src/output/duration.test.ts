import { expect, it } from "vitest";
import { formatDuration } from "./duration.js";

it.each([
  [0, "0 ms"],
  [840.4, "840 ms"],
  [999.6, "1.0 s"],
  [3210, "3.2 s"],
  [99_960, "1 min 40 s"],
  [125_000, "2 min 5 s"],
  [119_999, "2 min 0 s"],
  [3_720_000, "1 h 2 min"],
])("writes %d ms as %s", (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});
