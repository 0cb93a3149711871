import { OptioError } from "../errors.js";
import { byteSize } from "./byte-size.js";
import { ensureSpace, noSpace } from "./disk-space.js";
import { type PartFacts, partFactsOf, planResponse, rangeValidator, readPartFacts } from "./download-plan.js";
import { checkMagic, type Magic } from "./gguf-magic.js";
import { PartFile } from "./part-file.js";
import { printableAddress } from "./printable-address.js";
import type { ProgressMeter } from "./progress-meter.js";
import { isUnreachable, networkReason, requestFailed, RetryBudget, type RetrySettings, type Setback } from "./retry.js";
import { StallWatch } from "./stall-watch.js";
import type { StorePlatform } from "./store-platform.js";

export interface TransferSettings extends RetrySettings {
  /** Milliseconds without a byte after which an attempt is given up. */
  readonly stallMs: number;
}

/** What every download of one call shares. */
export interface Transfer {
  readonly platform: StorePlatform;
  readonly settings: TransferSettings;
  readonly meter: ProgressMeter;
  readonly signal?: AbortSignal | undefined;
}

export interface DownloadRequest {
  readonly address: string;
  /** Where the bytes grow in the store. They stay there for the caller to move. */
  readonly part: string;
  readonly magic: Magic;
  readonly expected: Expected;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Where this file's bytes begin in what the meter counts, and what it counts in all. */
  readonly within?: { readonly start: number; readonly total: number } | undefined;
}

export interface Expected {
  readonly sizeBytes?: number | undefined;
  readonly sha256?: string | undefined;
}

export interface Downloaded {
  readonly sizeBytes: number;
  readonly sha256: string;
}

type Outcome = { readonly kind: "done" } | ({ readonly kind: "again" } & Setback);

/**
 * Downloads one file, continuing what an earlier run left. An abort keeps what has arrived.
 *
 * @throws OptioError `download_failed`, `download_stalled`, `model_invalid`, `hash_mismatch`, `no_space`, `store_failed`;
 *   the signal's reason when aborted.
 */
export async function download(transfer: Transfer, request: DownloadRequest): Promise<Downloaded> {
  const { platform, signal } = transfer;
  const budget = new RetryBudget(transfer.settings);
  const resumed = await takeUp(transfer, request);
  const { part } = resumed;
  let { facts } = resumed;
  let fresh = part.bytes === 0;

  for (;;) {
    const outcome = await attempt(transfer, request, part, facts, (next) => {
      facts = next;
      fresh = true;
    });
    if (outcome.kind === "again") {
      await budget.spend(outcome, signal);
      continue;
    }
    const sizeBytes = part.bytes;
    const sha256 = part.sha256();
    const fault = differs({ sizeBytes, sha256 }, request);
    if (fault === undefined) return { sizeBytes, sha256 };
    await discard(platform, request.part);
    // Bytes of an earlier run may have come from another file: that is worth one more try, from the start.
    if (fresh) throw fault;
    fresh = true;
    facts = undefined;
    await part.restart();
  }
}

/** Removes a partial download and what is known about it. */
export async function discard(platform: Pick<StorePlatform, "files" | "facts">, part: string): Promise<void> {
  await platform.files.remove(part);
  await platform.facts.delete(part);
}

/** The error for bytes that are not those that were published; `undefined` when they are. */
export function differs(
  found: Downloaded,
  { address, expected }: { readonly address: string; readonly expected: Expected },
): OptioError | undefined {
  const from = printableAddress(address);
  if (expected.sizeBytes !== undefined && found.sizeBytes !== expected.sizeBytes) {
    return new OptioError("hash_mismatch", `${from} has ${found.sizeBytes} bytes, not ${expected.sizeBytes}`, {
      details: { expectedBytes: expected.sizeBytes, foundBytes: found.sizeBytes },
    });
  }
  if (expected.sha256 !== undefined && found.sha256 !== expected.sha256) {
    return new OptioError("hash_mismatch", `${from} has the SHA-256 ${found.sha256}, not ${expected.sha256}`, {
      details: { expected: expected.sha256, found: found.sha256 },
    });
  }
  return undefined;
}

async function takeUp({ platform, meter, signal }: Transfer, request: DownloadRequest) {
  const { expected, within } = request;
  const present = (await platform.files.size(request.part)) ?? 0;
  const facts = readPartFacts(await platform.facts.get(request.part));
  const known = facts?.address === request.address ? facts : undefined;
  // Without a published hash only the server can say that its file is still the same.
  const usable = expected.sha256 !== undefined || canAskIfRange(platform, request.address, known);
  const keepBytes = usable && present <= (expected.sizeBytes ?? present) ? present : 0;
  const onVerify = (bytes: number) => {
    if (within === undefined) meter.verified(bytes, keepBytes);
  };
  const part = await PartFile.resume(platform, request.part, { keepBytes, signal, onVerify });
  if (part.bytes > 0 && !startsWith(part.head, request.magic)) await part.restart();
  return { part, facts: part.bytes === 0 ? undefined : known };
}

async function attempt(
  { platform, settings, meter, signal }: Transfer,
  request: DownloadRequest,
  part: PartFile,
  facts: PartFacts | undefined,
  onFresh: (facts: PartFacts) => void,
): Promise<Outcome> {
  signal?.throwIfAborted();
  const { expected, magic, within } = request;
  const standAt = (total: number | undefined) =>
    meter.standAt((within?.start ?? 0) + part.bytes, within?.total ?? expected.sizeBytes ?? total);
  standAt(undefined);
  if (part.bytes > 0 && part.bytes === expected.sizeBytes) return { kind: "done" };

  const from = printableAddress(request.address);
  const before = part.bytes;
  const again = (error: OptioError, more: Partial<Setback> = {}): Outcome => ({
    kind: "again",
    error,
    gainedBytes: Math.max(0, part.bytes - before),
    ...more,
  });
  const failed = (reason: string) =>
    new OptioError("download_failed", `${from} did not give the file: ${reason}`, {
      details: { address: from, keptBytes: part.bytes },
    });
  let answered = false;

  using watch = new StallWatch(settings.stallMs, signal);
  try {
    const headers = { ...request.headers, ...rangeHeaders(platform, request.address, part.bytes, facts) };
    const response = await watch.guard(
      platform.fetch(request.address, { headers, signal: watch.signal, cache: "no-store" }),
    );
    answered = true;
    const plan = planResponse(response, { from: part.bytes, facts, expectedBytes: expected.sizeBytes });
    if (plan.kind === "fail") throw failed(plan.reason);
    if (plan.kind === "complete") return { kind: "done" };
    if (plan.kind === "retry") return again(failed(plan.reason), { afterMs: plan.afterMs });
    if (plan.kind === "restart") {
      await part.restart();
      return again(failed(plan.reason), { afterMs: 0 });
    }
    if (response.body === null) return again(failed("it sent no body"));

    const reader = response.body.getReader();
    let start: Uint8Array | undefined = new Uint8Array(0);
    if (plan.from > 0) start = undefined;
    const begin = async (head: Uint8Array) => {
      checkMagic(head, magic, from);
      if (plan.totalBytes !== undefined) {
        const fault = differs({ sizeBytes: plan.totalBytes, sha256: "" }, { ...request, expected: { sizeBytes: expected.sizeBytes } });
        if (fault !== undefined) throw fault;
      }
      await part.restart();
      const next = partFactsOf(request.address, response.headers);
      onFresh(next);
      await platform.facts.set(request.part, { ...next });
      standAt(plan.totalBytes);
    };
    const total = expected.sizeBytes ?? plan.totalBytes;
    if (total !== undefined) await ensureSpace(platform.files, total - plan.from, from);

    for (;;) {
      const { done, value } = await watch.guard(reader.read());
      if (value !== undefined) {
        meter.received(value.length);
        if (start === undefined) {
          await write(platform, part, value, total, from);
        } else {
          start = concat(start, value);
          if (start.length < magic.bytes.length) continue;
          await begin(start);
          meter.received(start.length);
          await write(platform, part, start, total, from);
          start = undefined;
        }
      }
      if (done) break;
    }
    if (start !== undefined) checkMagic(start, magic, from);
    if (total !== undefined && part.bytes < total) return again(failed("the connection ended early"));
    return { kind: "done" };
  } catch (error) {
    signal?.throwIfAborted();
    if (OptioError.isInstance(error)) throw error;
    if (watch.stalled) return again(stalled(from, settings.stallMs, part.bytes));
    if (!answered) return again(requestFailed(from, error), isUnreachable(error) ? { attempts: 2 } : {});
    return again(failed(`the connection broke: ${networkReason(error)}`));
  } finally {
    await part.close();
  }
}

async function write(
  { files }: StorePlatform,
  part: PartFile,
  bytes: Uint8Array,
  total: number | undefined,
  what: string,
): Promise<void> {
  try {
    await part.write(bytes);
  } catch (error) {
    if (!OptioError.isInstance(error, "no_space")) throw error;
    throw noSpace(what, (total ?? part.bytes + bytes.length) - part.bytes, await files.freeBytes(), error);
  }
}

function rangeHeaders(platform: StorePlatform, address: string, from: number, facts: PartFacts | undefined) {
  // Compressed bytes could not be continued, and their length says nothing about the file.
  const plain = { "accept-encoding": "identity" };
  if (from === 0) return plain;
  const validator = canAskIfRange(platform, address, facts) ? rangeValidator(facts) : undefined;
  return { ...plain, range: `bytes=${from}-`, ...(validator === undefined ? {} : { "if-range": validator }) };
}

function canAskIfRange(platform: StorePlatform, address: string, facts: PartFacts | undefined): boolean {
  return rangeValidator(facts) !== undefined && platform.mayAskIfRange(address);
}

function startsWith(head: Uint8Array, magic: Magic): boolean {
  return magic.bytes.every((byte, index) => index >= head.length || head[index] === byte);
}

function stalled(from: string, stallMs: number, keptBytes: number): OptioError {
  return new OptioError(
    "download_stalled",
    `${from} sent nothing for ${stallMs / 1000} s; ${byteSize(keptBytes)} are kept`,
    { details: { address: from, stallMs, keptBytes } },
  );
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}
