import { z } from "zod";

/** What is known about the file that a partial download belongs to. */
export interface PartFacts {
  readonly address: string;
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

const partFactsSchema = z.object({
  address: z.string(),
  etag: z.string().optional(),
  lastModified: z.string().optional(),
});

/** Facts as they were stored; `undefined` when they are not there or not whole. */
export function readPartFacts(value: unknown): PartFacts | undefined {
  return partFactsSchema.safeParse(value).data;
}

export function partFactsOf(address: string, headers: Headers): PartFacts {
  return {
    address,
    etag: headers.get("etag") ?? undefined,
    lastModified: headers.get("last-modified") ?? undefined,
  };
}

/** What `If-Range` may say: a strong ETag, else the date (RFC 9110, 13.1.5). */
export function rangeValidator(facts: PartFacts | undefined): string | undefined {
  if (facts?.etag !== undefined && !facts.etag.startsWith("W/")) return facts.etag;
  return facts?.lastModified;
}

export type ResponsePlan =
  /** The body holds the file from byte `from` on; `totalBytes` is the whole file's. */
  | { readonly kind: "take"; readonly from: number; readonly totalBytes?: number | undefined }
  /** Nothing is left to download. */
  | { readonly kind: "complete" }
  /** What is there cannot be continued: ask again for all of it. */
  | { readonly kind: "restart"; readonly reason: string }
  | { readonly kind: "retry"; readonly reason: string; readonly afterMs?: number | undefined }
  | { readonly kind: "fail"; readonly reason: string };

export interface AskedRange {
  /** First byte that was asked for; 0 when no range was. */
  readonly from: number;
  readonly facts: PartFacts | undefined;
  /** Bytes that the whole file should have, where known. */
  readonly expectedBytes: number | undefined;
}

/** What to do with a response, by its status line and headers alone. */
export function planResponse(
  { status, headers }: Pick<Response, "status" | "headers">,
  asked: AskedRange,
): ResponsePlan {
  if (status === 200) return { kind: "take", from: 0, totalBytes: bodyBytes(headers) };
  if (status === 206) return planPartial(headers, asked);
  if (status === 416) {
    const total = /^bytes \*\/(\d+)$/.exec(headers.get("content-range") ?? "")?.[1];
    if (asked.from > 0 && Number(total) === asked.from) return { kind: "complete" };
    return { kind: "restart", reason: `it has no byte ${asked.from}` };
  }
  if (status === 408 || status === 429 || status >= 500) {
    return { kind: "retry", reason: `it answered ${status}`, afterMs: retryAfterMs(headers) };
  }
  return { kind: "fail", reason: `it answered ${status}` };
}

function planPartial(headers: Headers, { from, facts, expectedBytes }: AskedRange): ResponsePlan {
  const range = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(headers.get("content-range") ?? "");
  if (range === null) return { kind: "restart", reason: "it answered 206 without a readable Content-Range" };
  if (Number(range[1]) !== from) return { kind: "restart", reason: `it sent bytes from ${range[1]}, not from ${from}` };
  const totalBytes = range[3] === "*" ? undefined : Number(range[3]);
  if (totalBytes !== undefined && expectedBytes !== undefined && totalBytes !== expectedBytes) {
    return { kind: "restart", reason: `its file has ${totalBytes} bytes, not ${expectedBytes}` };
  }
  // A server that knows ranges but not If-Range continues a file that has changed.
  if (isOther(headers, facts)) return { kind: "restart", reason: "its file has changed" };
  return { kind: "take", from, totalBytes };
}

/** By the tag where both have one, else by the date: mirrors of one file may differ in its date. */
function isOther(headers: Headers, facts: PartFacts | undefined): boolean {
  const etag = headers.get("etag");
  if (etag !== null && facts?.etag !== undefined) return etag !== facts.etag;
  const lastModified = headers.get("last-modified");
  return lastModified !== null && facts?.lastModified !== undefined && lastModified !== facts.lastModified;
}

function bodyBytes(headers: Headers): number | undefined {
  // With a content encoding the length counts something else.
  if ((headers.get("content-encoding") ?? "identity") !== "identity") return undefined;
  const length = headers.get("content-length");
  return length !== null && /^\d+$/.test(length) ? Number(length) : undefined;
}

function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
