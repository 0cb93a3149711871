import { OptioError } from "@optio/core";

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, min: 60_000, m: 60_000, h: 3_600_000 };

/** A reader of durations: `500ms`, `30s`, `2min`; a number alone is seconds. Gives milliseconds. */
export function duration(flag: string): (text: string) => number {
  return (text) => {
    const match = /^(\d+(?:\.\d+)?|\.\d+)\s*(ms|s|min|m|h)?$/u.exec(text.trim());
    const value = match === null ? 0 : Number(match[1]) * (unitMs[match[2] ?? "s"] ?? 0);
    if (value > 0) return value;
    throw new OptioError("invalid_setting", `${flag} takes a time above 0, not "${text}".`, {
      hint: `Write ${flag} 30s, ${flag} 500ms or ${flag} 2min.`,
    });
  };
}
