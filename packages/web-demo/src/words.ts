import type { Action } from "@optio/core";

const numbers = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const wholeNumbers = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** A probability as a whole percent; never 0 or 100, which nothing here is sure enough for. */
export function percent(probability: number): string {
  if (probability < 0.01) return "< 1 %";
  if (probability > 0.99) return "> 99 %";
  return `${Math.round(probability * 100)} %`;
}

/** Bytes in the decimal units that shops and browsers use. */
export function bytes(count: number): string {
  if (count >= 1e9) return `${numbers.format(count / 1e9)} GB`;
  if (count >= 1e6) return `${wholeNumbers.format(count / 1e6)} MB`;
  return `${wholeNumbers.format(count / 1e3)} kB`;
}

/** A span of time, from milliseconds. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${wholeNumbers.format(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${numbers.format(milliseconds / 1000)} s`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`;
}

/** What is left of a download, or nothing while the speed is unknown. */
export function timeLeft(loaded: number, total: number, bytesPerSecond: number): string | undefined {
  if (bytesPerSecond <= 0 || total <= loaded) return undefined;
  return `about ${duration((Math.ceil((total - loaded) / bytesPerSecond) || 1) * 1000)} left`;
}

export const actionWords: Readonly<Record<Action, string>> = {
  accept: "Accepted",
  review: "Please check",
  escalate: "For a specialist",
};

/** Shape beside the colour, so that colour is never the only sign. */
export const actionShapes: Readonly<Record<Action, string>> = { accept: "●", review: "▲", escalate: "■" };
