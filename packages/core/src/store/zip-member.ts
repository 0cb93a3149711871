import { OptioError } from "../errors.js";
import { joinBytes } from "./join-bytes.js";
import type { StoreFiles } from "./store-platform.js";

/** One file inside a zip archive. */
export interface ZipMember {
  /** Bytes once unpacked. */
  readonly sizeBytes: number;
  read(): AsyncIterable<Uint8Array>;
}

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;
const endBytes = 22;
const longestComment = 0xffff;
const inZip64 = 0xffffffff;

/**
 * Finds a member by the archive's central directory (PKWARE's APPNOTE, 4.3) and unpacks it in a stream.
 *
 * @throws OptioError `download_failed` for archives that are not whole or use what wheels do not.
 */
export async function openZipMember(files: StoreFiles, archive: string, name: string): Promise<ZipMember> {
  const size = await files.size(archive);
  if (size === undefined) throw unreadable(archive, "it is not there");
  const directory = await readDirectory(files, archive, size);
  const entry = findEntry(directory, archive, name);
  const start = await dataStart(files, archive, entry.headerAt);
  const packed = () => files.read(archive, start, start + entry.packedBytes);
  return { sizeBytes: entry.sizeBytes, read: () => (entry.deflated ? inflated(packed()) : packed()) };
}

async function readDirectory(files: StoreFiles, archive: string, size: number): Promise<DataView> {
  const tail = await readRange(files, archive, Math.max(0, size - endBytes - longestComment), size);
  for (let at = tail.byteLength - endBytes; at >= 0; at--) {
    if (tail.getUint32(at, true) !== endSignature) continue;
    const bytes = tail.getUint32(at + 12, true);
    const start = tail.getUint32(at + 16, true);
    if (start === inZip64) throw unreadable(archive, "it uses ZIP64");
    if (start + bytes > size) throw unreadable(archive, "its directory lies outside of it");
    return readRange(files, archive, start, start + bytes);
  }
  throw unreadable(archive, "it has no directory");
}

interface Entry {
  readonly deflated: boolean;
  readonly packedBytes: number;
  readonly sizeBytes: number;
  readonly headerAt: number;
}

function findEntry(directory: DataView, archive: string, name: string): Entry {
  let at = 0;
  while (at + 46 <= directory.byteLength && directory.getUint32(at, true) === entrySignature) {
    const nameBytes = directory.getUint16(at + 28, true);
    const restBytes = directory.getUint16(at + 30, true) + directory.getUint16(at + 32, true);
    if (at + 46 + nameBytes > directory.byteLength) break;
    if (textOf(directory, at + 46, nameBytes) === name) return readEntry(directory, at, archive, name);
    at += 46 + nameBytes + restBytes;
  }
  throw unreadable(archive, `it has no member ${name}`);
}

function readEntry(directory: DataView, at: number, archive: string, name: string): Entry {
  const method = directory.getUint16(at + 10, true);
  if ((directory.getUint16(at + 8, true) & 1) !== 0) throw unreadable(archive, `${name} is encrypted`);
  if (method !== 0 && method !== 8) throw unreadable(archive, `${name} is packed by method ${method}`);
  const packedBytes = directory.getUint32(at + 20, true);
  const sizeBytes = directory.getUint32(at + 24, true);
  const headerAt = directory.getUint32(at + 42, true);
  if ([packedBytes, sizeBytes, headerAt].includes(inZip64)) throw unreadable(archive, `${name} uses ZIP64`);
  return { deflated: method === 8, packedBytes, sizeBytes, headerAt };
}

// The local header's own name and extra field may differ in length from the directory's.
async function dataStart(files: StoreFiles, archive: string, headerAt: number): Promise<number> {
  const header = await readRange(files, archive, headerAt, headerAt + 30);
  if (header.byteLength < 30 || header.getUint32(0, true) !== localSignature) {
    throw unreadable(archive, "a member's header is not where the directory says");
  }
  return headerAt + 30 + header.getUint16(26, true) + header.getUint16(28, true);
}

async function* inflated(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = packed[Symbol.asyncIterator]();
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const next = await iterator.next();
      if (next.done) controller.close();
      else controller.enqueue(new Uint8Array(next.value));
    },
  });
  const reader = source.pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (cause) {
    if (OptioError.isInstance(cause)) throw cause;
    throw new OptioError("download_failed", `a member of the wheel could not be unpacked: ${String(cause)}`, { cause });
  } finally {
    await iterator.return?.();
  }
}

async function readRange(files: StoreFiles, path: string, start: number, end: number): Promise<DataView> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of files.read(path, start, end)) chunks.push(chunk);
  return new DataView(joinBytes(chunks).buffer);
}

function textOf(view: DataView, offset: number, bytes: number): string {
  return new TextDecoder().decode(new Uint8Array(view.buffer as ArrayBuffer, view.byteOffset + offset, bytes));
}

function unreadable(archive: string, reason: string): OptioError {
  const file = archive.split("/").at(-1) ?? archive;
  return new OptioError("download_failed", `${file.replace(/\.part$/, "")} could not be read: ${reason}`);
}
