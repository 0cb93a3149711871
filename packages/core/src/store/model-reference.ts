import { OptioError } from "../errors.js";
import type { CatalogueEntry } from "./catalogue.js";
import { nearNames } from "./near-names.js";
import { printableAddress } from "./printable-address.js";

/** What the text that names a model means. */
export type ModelReference =
  | { readonly kind: "catalogue"; readonly entry: CatalogueEntry }
  /** An http or https address of a GGUF file. */
  | { readonly kind: "address"; readonly address: string }
  /** A path of the user's own file. */
  | { readonly kind: "path"; readonly path: string }
  /** Perhaps the id of a model that the user added. */
  | { readonly kind: "name"; readonly name: string };

export interface ReferenceContext {
  readonly catalogue: readonly CatalogueEntry[];
  /** Where given, what looks like a path is an address relative to it; without, it is a path. */
  readonly baseAddress?: string | undefined;
}

/**
 * Tells a catalogue id, an address and a path apart.
 *
 * @throws OptioError `model_not_found` for an empty text and for addresses that are not http or https or hold a password.
 */
export function parseModelReference(text: string, context: ReferenceContext): ModelReference {
  const reference = text.trim();
  if (reference === "") throw new OptioError("model_not_found", "the model reference is empty");
  const entry = context.catalogue.find(({ id }) => id === reference.toLowerCase());
  if (entry !== undefined) return { kind: "catalogue", entry };
  if (/^https?:\/\//i.test(reference)) return { kind: "address", address: addressOf(reference) };
  if (context.baseAddress === undefined && /^file:\/\//i.test(reference)) return { kind: "path", path: reference };
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(reference)?.[1];
  if (scheme !== undefined)
    throw new OptioError(
      "model_not_found",
      `${scheme} addresses are not supported: ${reference} must be http or https`,
    );
  if (!looksLikePath(reference)) return { kind: "name", name: reference };
  if (context.baseAddress === undefined) return { kind: "path", path: reference };
  return { kind: "address", address: addressOf(reference, context.baseAddress) };
}

/** The error for a name that nothing answers to, with what may have been meant. */
export function modelNotFound(name: string, known: readonly string[]): OptioError {
  const near = nearNames(name, known);
  const question = near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`;
  return new OptioError("model_not_found", `no model is called "${name}"${question}`, {
    details: { reference: name, ...(near.length === 0 ? {} : { near: near.join(", ") }) },
  });
}

function looksLikePath(reference: string): boolean {
  return /[/\\]/.test(reference) || /\.gguf$/i.test(reference) || reference.startsWith("~");
}

function addressOf(reference: string, base?: string): string {
  let url: URL;
  try {
    url = new URL(reference, base);
  } catch (cause) {
    throw new OptioError("model_not_found", `"${reference}" is not a valid address`, { cause });
  }
  // `fetch` refuses them, and its message repeats them.
  if (url.username !== "" || url.password !== "") {
    throw new OptioError("model_not_found", `${printableAddress(url.href)} was given with a user or password`, {
      hint: "Such addresses cannot be used. Download the file by other means and add it by its path.",
    });
  }
  url.hash = "";
  // A hub's page about a file differs from the file by this one word, and is what people copy.
  if (url.hostname === "huggingface.co")
    url.pathname = url.pathname.replace(/^(\/[^/]+\/[^/]+)\/blob\//, "$1/resolve/");
  return url.href;
}
