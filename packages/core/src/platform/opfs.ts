import { OptioError } from "../errors.js";
import type { OpfsDirectoryHandle, OpfsFileHandle } from "./opfs-types.js";

/** Folder of the store in the origin private file system. */
export const storeFolder = "optio-models";

/** @throws OptioError `store_failed` where the browser keeps no files for this origin. */
export async function opfsRoot(): Promise<OpfsDirectoryHandle> {
  if (typeof navigator.storage?.getDirectory !== "function") {
    throw new OptioError("store_failed", "This browser keeps no files for pages like this one.", {
      hint: "Serve the page over https or from localhost, and not in a private window.",
    });
  }
  try {
    const root = await navigator.storage.getDirectory();
    return root as OpfsDirectoryHandle;
  } catch (cause) {
    throw new OptioError("store_failed", `The browser's own file system cannot be used: ${String(cause)}`, {
      hint: "Private windows of some browsers have none; use an ordinary window.",
      cause,
    });
  }
}

/** The folder at a path, or `undefined`. */
export async function folderAt(
  root: OpfsDirectoryHandle,
  path: readonly string[],
  create: boolean,
): Promise<OpfsDirectoryHandle | undefined> {
  let folder = root;
  for (const name of path) {
    const next = await absentAsUndefined(folder.getDirectoryHandle(name, { create }));
    if (next === undefined) return undefined;
    folder = next;
  }
  return folder;
}

/** The file at a path, or `undefined`. */
export async function fileAt(
  root: OpfsDirectoryHandle,
  path: readonly string[],
  create: boolean,
): Promise<OpfsFileHandle | undefined> {
  const folder = await folderAt(root, path.slice(0, -1), create);
  const name = path.at(-1);
  if (folder === undefined || name === undefined) return undefined;
  return absentAsUndefined(folder.getFileHandle(name, { create }));
}

async function absentAsUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DOMException && (error.name === "NotFoundError" || error.name === "TypeMismatchError"))
      return undefined;
    throw error;
  }
}
