import { checkMagic, ggufMagic } from "./gguf-magic.js";
import { type ReadOptions, textHash } from "./local-model.js";
import { PartFile } from "./part-file.js";
import type { StorePlatform } from "./store-platform.js";
import type { Downloaded, Transfer } from "./transfer.js";

/** A file that is to be copied into the store. */
export interface ImportedFile {
  /** Path or name, for messages. */
  readonly name: string;
  readonly fileName: string;
  readonly sizeBytes: number;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/**
 * Copies a file into the store under a temporary name and hashes it meanwhile.
 *
 * @returns where it lies; the caller moves it
 * @throws OptioError `model_invalid`, `no_space`, `store_failed`; the signal's reason when aborted. Nothing is kept then.
 */
export async function importModel(
  platform: StorePlatform,
  { name, fileName, sizeBytes, bytes }: ImportedFile,
  { signal, onProgress, ensureSpace }: ReadOptions & Pick<Transfer, "ensureSpace">,
): Promise<Downloaded & { readonly part: string }> {
  await ensureSpace(sizeBytes, name);
  // One name for one file: what a killed run left is overwritten by the next instead of staying for ever.
  const folder = `incoming-${textHash(platform, `${name} ${sizeBytes}`)}`;
  const part = await PartFile.resume(platform, `${folder}/${fileName}.part`, {
    keepBytes: 0,
    onVerify: () => undefined,
  });
  let reportedAt = 0;
  try {
    for await (const chunk of bytes) {
      signal?.throwIfAborted();
      if (part.bytes === 0) checkMagic(chunk, ggufMagic, name);
      await part.write(chunk);
      if (part.bytes - reportedAt < sizeBytes / 100 && part.bytes < sizeBytes) continue;
      reportedAt = part.bytes;
      onProgress?.({ phase: "verify", loaded: part.bytes, total: sizeBytes });
    }
    await part.close();
    checkMagic(part.head, ggufMagic, name);
    return { part: part.path, sizeBytes: part.bytes, sha256: part.sha256() };
  } catch (error) {
    await part.close().catch(() => undefined);
    await platform.files.remove(folder);
    throw error;
  }
}
