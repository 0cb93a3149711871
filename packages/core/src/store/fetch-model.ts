import { type ErrorDetails, OptioError } from "../errors.js";
import { download } from "./download.js";
import { ggufMagic } from "./gguf-magic.js";
import { joinWheels } from "./join-wheels.js";
import type { DownloadSource } from "./model-sources.js";
import type { Downloaded, Expected, Transfer } from "./transfer.js";

/** A model that is not in the store yet. */
export interface WantedModel {
  /** Where its bytes gather. */
  readonly folder: string;
  readonly fileName: string;
  /** How it is called in messages. */
  readonly name: string;
  readonly expected: Expected;
  readonly sources: readonly DownloadSource[];
}

export interface FetchedModel extends Downloaded {
  /** Where it lies now. */
  readonly part: string;
  readonly source: DownloadSource;
}

/**
 * Downloads a model from the first of its sources that has it.
 *
 * @throws OptioError what the only source failed with, or `download_failed` with the reason of each; the signal's reason
 *   when aborted.
 */
export async function fetchModel(transfer: Transfer, wanted: WantedModel): Promise<FetchedModel> {
  const failures: { readonly source: DownloadSource; readonly error: OptioError }[] = [];
  for (const source of wanted.sources) {
    const part = partOf(wanted, source);
    try {
      await checkSpace(transfer, wanted, part);
      return { ...(await fetchFrom(transfer, wanted, source, part)), part, source };
    } catch (error) {
      transfer.signal?.throwIfAborted();
      if (!OptioError.isInstance(error) || !isAboutSource(error)) throw error;
      failures.push({ source, error });
    }
  }
  const [only] = failures;
  if (only !== undefined && failures.length === 1) throw only.error;
  throw allFailed(wanted, failures);
}

/** Both kinds of partial files are kept apart: one ends anywhere, the other after whole parts. */
function partOf({ folder, fileName }: WantedModel, source: DownloadSource): string {
  return source.kind === "address" ? `${folder}/${fileName}.part` : `${folder}/${fileName}.wheels.part`;
}

/** Bytes that earlier runs left of a model, from the source that came furthest. */
export async function partialBytes({ platform }: Pick<Transfer, "platform">, wanted: WantedModel): Promise<number> {
  const sizes = await Promise.all(wanted.sources.map((source) => platform.files.size(partOf(wanted, source))));
  return Math.max(0, ...sizes.map((size) => size ?? 0));
}

async function checkSpace(
  { platform, ensureSpace }: Transfer,
  { expected, name }: WantedModel,
  part: string,
): Promise<void> {
  if (expected.sizeBytes === undefined) return;
  const present = (await platform.files.size(part)) ?? 0;
  await ensureSpace(Math.max(0, expected.sizeBytes - present), name);
}

function fetchFrom(
  transfer: Transfer,
  { expected, name }: WantedModel,
  source: DownloadSource,
  part: string,
): Promise<Downloaded> {
  if (source.kind === "address") {
    return download(transfer, { address: source.address, part, magic: ggufMagic, expected });
  }
  const { sizeBytes, sha256 } = expected;
  if (sizeBytes === undefined || sha256 === undefined) {
    throw new OptioError("internal", `${name} has wheels but no published size and hash`);
  }
  return joinWheels(transfer, { source: source.source, index: source.index, part, expected: { sizeBytes, sha256 } });
}

function isAboutSource({ code }: OptioError): boolean {
  return (
    code === "download_failed" || code === "download_stalled" || code === "model_invalid" || code === "hash_mismatch"
  );
}

function allFailed(
  { name }: WantedModel,
  failures: readonly { readonly source: DownloadSource; readonly error: OptioError }[],
): OptioError {
  if (failures.length === 0) {
    return new OptioError("download_failed", `${name} has no source that can be used here`, {
      hint: "Give the address of a copy by the store's `sources` option, or add the model from a file.",
    });
  }
  const reasons = failures.map(({ source, error }) => `${source.label}: ${error.message}`);
  const details: ErrorDetails = Object.fromEntries(reasons.map((reason, index) => [`source${index + 1}`, reason]));
  const message = `${name} could not be had from any of its ${failures.length} sources. ${reasons.join(". ")}`;
  return new OptioError("download_failed", message, { details, cause: failures.at(-1)?.error });
}
