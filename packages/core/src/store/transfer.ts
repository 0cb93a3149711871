import { OptioError } from "../errors.js";
import type { Magic } from "./gguf-magic.js";
import { printableAddress } from "./printable-address.js";
import type { ProgressMeter } from "./progress-meter.js";
import { defaultRetry, type RetrySettings } from "./retry.js";
import type { StorePlatform } from "./store-platform.js";

/** What every download of one call shares. */
export interface Transfer {
  readonly platform: StorePlatform;
  readonly settings: TransferSettings;
  readonly meter: ProgressMeter;
  readonly signal?: AbortSignal | undefined;
  /** Makes sure that so many bytes more can be written for `what`. @throws OptioError `no_space` */
  readonly ensureSpace: (neededBytes: number, what: string) => Promise<void>;
}

export interface TransferSettings extends RetrySettings {
  /** Milliseconds without a byte after which an attempt is given up. Default 30,000. */
  readonly stallMs: number;
}

export const defaultTransfer: TransferSettings = { ...defaultRetry, stallMs: 30_000 };

export interface DownloadRequest {
  readonly address: string;
  /** Where the bytes grow in the store. They stay there for the caller to move. */
  readonly part: string;
  readonly magic: Magic;
  readonly expected: Expected;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** For one of several files: the bytes before it, and the bytes of all. */
  readonly within?: { readonly start: number; readonly total: number } | undefined;
}

/** What was published about a file. */
export interface Expected {
  readonly sizeBytes?: number | undefined;
  readonly sha256?: string | undefined;
}

export interface Downloaded {
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** The error for bytes that are not those that were published; `undefined` when they are. */
export function differenceOf(address: string, found: Expected, expected: Expected): OptioError | undefined {
  const from = printableAddress(address);
  const { sizeBytes, sha256 } = found;
  if (sizeBytes !== undefined && expected.sizeBytes !== undefined && sizeBytes !== expected.sizeBytes) {
    return new OptioError("hash_mismatch", `${from} has ${sizeBytes} bytes, not the ${expected.sizeBytes} published`, {
      details: { expectedBytes: expected.sizeBytes, foundBytes: sizeBytes },
    });
  }
  if (sha256 !== undefined && expected.sha256 !== undefined && sha256 !== expected.sha256) {
    return new OptioError("hash_mismatch", `${from} has the SHA-256 ${sha256}, not the published ${expected.sha256}`, {
      details: { expected: expected.sha256, found: sha256 },
    });
  }
  return undefined;
}

/** Removes a partial download and what is known about it. */
export async function discardPart(
  { files, facts }: Pick<StorePlatform, "files" | "facts">,
  part: string,
): Promise<void> {
  await files.remove(part);
  await facts.delete(part);
}
