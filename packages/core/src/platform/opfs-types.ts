/** Parts of the file system API that TypeScript knows in workers only, or not at all. */
export interface SyncAccessHandle {
  read(buffer: Uint8Array, options: { readonly at: number }): number;
  write(buffer: Uint8Array, options: { readonly at: number }): number;
  truncate(size: number): void;
  getSize(): number;
  flush(): void;
  close(): void;
}

export interface OpfsFileHandle extends FileSystemFileHandle {
  /** `read-only` lets several workers read one file; browsers without modes ignore it and open exclusively. */
  createSyncAccessHandle(options?: { readonly mode: "read-only" | "readwrite" }): Promise<SyncAccessHandle>;
  move(folder: FileSystemDirectoryHandle, name: string): Promise<void>;
}

export interface OpfsDirectoryHandle extends FileSystemDirectoryHandle {
  keys(): AsyncIterableIterator<string>;
  getFileHandle(name: string, options?: FileSystemGetFileOptions): Promise<OpfsFileHandle>;
  getDirectoryHandle(name: string, options?: FileSystemGetDirectoryOptions): Promise<OpfsDirectoryHandle>;
}
