import { OptioError } from "@optio/core";

/** A reader of whole numbers in a range. */
export function wholeNumber(flag: string, low: number, high: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/u.test(text.trim()) ? Number(text) : Number.NaN;
    if (value >= low && value <= high) return value;
    throw new OptioError("invalid_setting", `${flag} takes a whole number from ${low} to ${high}, not "${text}".`, {
      hint: `Write ${flag} ${low}, for example.`,
    });
  };
}

/** A reader of shares from 0 to 1; `90%` is read as 0.9. */
export function share(flag: string): (text: string) => number {
  return (text) => {
    const value = parseShare(text);
    if (value !== undefined) return value;
    throw new OptioError("invalid_setting", `${flag} takes a number from 0 to 1, not "${text}".`, {
      hint: `Write ${flag} 0.9 or ${flag} 90%.`,
    });
  };
}

export function parseShare(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?|\.\d+)\s*(%?)$/u.exec(text.trim());
  if (match === null) return undefined;
  const value = Number(match[1]) / (match[2] === "%" ? 100 : 1);
  return value <= 1 ? value : undefined;
}
