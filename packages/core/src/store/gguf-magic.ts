import { OptioError } from "../errors.js";

/** First bytes that a file must have. */
export interface Magic {
  readonly bytes: readonly number[];
  /** What such a file is, with its article. */
  readonly what: string;
}

export const ggufMagic: Magic = { bytes: [0x47, 0x47, 0x55, 0x46], what: "a GGUF model" };
export const zipMagic: Magic = { bytes: [0x50, 0x4b, 0x03, 0x04], what: "a wheel" };

/**
 * Checks the first bytes of a file.
 *
 * @param from where the bytes come from, for the message
 * @throws OptioError `model_invalid` saying what was found
 */
export function checkMagic(head: Uint8Array, magic: Magic, from: string): void {
  if (head.length >= magic.bytes.length && magic.bytes.every((byte, index) => head[index] === byte)) return;
  throw new OptioError("model_invalid", `${from} is not ${magic.what}: ${found(head)}`, {
    hint: "Nothing was kept. Check the address or path: it must lead to the file itself.",
  });
}

function found(head: Uint8Array): string {
  if (head.length === 0) return "it is empty";
  const text = new TextDecoder("latin1").decode(head.subarray(0, 64)).trimStart().toLowerCase();
  if (text.startsWith("<")) return "it is a web page";
  if (text.startsWith("version https://git-lfs")) return "it is a Git LFS pointer, not the file that it points to";
  const hex = [...head.subarray(0, 4)].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
  return `it begins with the bytes ${hex}`;
}
