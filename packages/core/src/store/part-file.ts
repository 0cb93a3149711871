import { joinBytes } from "./join-bytes.js";
import type { AppendFile, Sha256, StoreFiles, StorePlatform } from "./store-platform.js";

export interface ResumeOptions {
  /** Bytes of an earlier run to keep, from the start; they are read again for the hash. */
  readonly keepBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Bytes read again so far. */
  readonly onVerify: (bytes: number) => void;
}

/** A file that grows at its end while the SHA-256 of all of it is computed. */
export class PartFile {
  readonly path: string;
  readonly #files: StoreFiles;
  readonly #createHash: () => Sha256;
  #hash: Sha256;
  #writer: AppendFile | undefined;
  #bytes = 0;
  #head: Uint8Array = new Uint8Array(0);

  private constructor(platform: Pick<StorePlatform, "files" | "createHash">, path: string) {
    this.path = path;
    this.#files = platform.files;
    this.#createHash = () => platform.createHash();
    this.#hash = platform.createHash();
  }

  /** Takes up what an earlier run left. */
  static async resume(
    platform: Pick<StorePlatform, "files" | "createHash">,
    path: string,
    options: ResumeOptions,
  ): Promise<PartFile> {
    const part = new PartFile(platform, path);
    if (options.keepBytes === 0) return part;
    for await (const bytes of platform.files.read(path, 0, options.keepBytes)) {
      options.signal?.throwIfAborted();
      part.#take(bytes);
      options.onVerify(part.#bytes);
    }
    return part;
  }

  /** Bytes written and hashed. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The first bytes, up to 64. */
  get head(): Uint8Array {
    return this.#head;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#writer ??= await this.#files.append(this.path, this.#bytes);
    await this.#writer.write(bytes);
    this.#take(bytes);
  }

  /** Makes what was written safe. Writing may go on afterwards. */
  async close(): Promise<void> {
    const writer = this.#writer;
    this.#writer = undefined;
    await writer?.close();
  }

  /** Forgets everything; what lies in the file is cut off at the next write. */
  async restart(): Promise<void> {
    await this.close();
    this.#hash = this.#createHash();
    this.#bytes = 0;
    this.#head = new Uint8Array(0);
  }

  /** SHA-256 of all bytes; nothing can be written afterwards. */
  sha256(): string {
    return this.#hash.hex();
  }

  #take(bytes: Uint8Array): void {
    if (this.#head.length < 64) this.#head = joinBytes([this.#head, bytes.subarray(0, 64 - this.#head.length)]);
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
  }
}
