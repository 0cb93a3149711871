/** Where the bytes of a model lie; can be posted to a worker, which opens it with `openModelFile`. */
export type ModelFile =
  | { readonly kind: "path"; readonly path: string }
  /** Folder names and the file name, from the root of the origin private file system. */
  | { readonly kind: "opfs"; readonly path: readonly string[] }
  | { readonly kind: "blob"; readonly blob: Blob };

/** A model file opened for synchronous reading, as the scorer needs it while it loads. */
export interface SyncReader {
  /** Bytes. */
  readonly size: number;
  /**
   * Fills `destination` from byte `offset` of the file.
   *
   * @returns bytes read; fewer than asked for only at the end of the file
   * @throws OptioError `store_failed`
   */
  read(destination: Uint8Array, offset: number): number;
  close(): void;
}
