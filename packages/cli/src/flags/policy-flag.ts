import { OptioError, type Policy } from "@optio/core";
import { parseShare } from "./number-flag.js";

const hint = "Write --policy accept=0.9,review=0.6: from 0.9 on accept, from 0.6 on review, below that escalate.";

/** Reads `accept=0.9,review=0.6`; whether the two fit together is core's to check. */
export function parsePolicy(text: string): Policy {
  const bounds = new Map<string, number>();
  for (const part of text.split(",")) {
    const [name = "", value = "", ...more] = part.split("=").map((piece) => piece.trim());
    const share = more.length === 0 ? parseShare(value) : undefined;
    if (name !== "accept" && name !== "review") throw broken(text, `"${name}" is not accept or review`);
    if (share === undefined) throw broken(text, `${name} takes a number from 0 to 1, not "${value}"`);
    if (bounds.has(name)) throw broken(text, `${name} is given twice`);
    bounds.set(name, share);
  }
  const accept = bounds.get("accept");
  const review = bounds.get("review");
  if (accept === undefined || review === undefined)
    throw broken(text, `${accept === undefined ? "accept" : "review"} is missing`);
  if (review > accept) throw broken(text, `review (${review}) is above accept (${accept})`);
  return { accept, review };
}

function broken(text: string, what: string): OptioError {
  return new OptioError("invalid_setting", `--policy ${text}: ${what}.`, { hint });
}
