import { type CatalogueEntry, catalogue, type ModelStore, type StoredModel } from "@optio/core";
import { formatBytes } from "../output/byte-size.js";
import type { Style } from "../output/style.js";
import { renderTable } from "../output/table.js";

/** One row of `optio models list`. */
export interface ListedModel {
  readonly id: string;
  readonly title: string;
  readonly bytes: number;
  readonly licence: string | null;
  readonly sha256: string;
  /** `asked` or `decision`; null for models that the user added. */
  readonly kind: CatalogueEntry["kind"] | null;
  readonly role: CatalogueEntry["role"] | null;
  /** Engines that can run it; null when that is not known. */
  readonly engines: CatalogueEntry["engines"] | null;
  readonly state: "stored" | "partial" | "absent";
  /** Bytes that are here. */
  readonly loadedBytes: number;
  /** Where it lies; null when it is not here. */
  readonly path: string | null;
}

/** The catalogue in its order, then what the user added. */
export async function listModels(store: ModelStore): Promise<readonly ListedModel[]> {
  const stored = await store.list();
  const known = await Promise.all(catalogue.map((entry) => published(entry, store)));
  const added = stored.filter(({ entry }) => entry === undefined);
  return [...known, ...added.map(ofUser)];
}

async function published(entry: CatalogueEntry, store: ModelStore): Promise<ListedModel> {
  const { id, title, bytes, licence, sha256, kind, role, engines } = entry;
  const base = { id, title, bytes, licence, sha256, kind, role: role ?? null, engines };
  const status = await store.status(id);
  if (status.state === "stored") return { ...base, state: "stored", loadedBytes: bytes, path: pathOf(status.model) };
  return { ...base, state: status.state, loadedBytes: status.state === "partial" ? status.loadedBytes : 0, path: null };
}

function ofUser(model: StoredModel): ListedModel {
  const { id, fileName, sizeBytes, sha256 } = model;
  return {
    id,
    title: fileName,
    bytes: sizeBytes,
    licence: null,
    sha256,
    kind: null,
    role: null,
    engines: null,
    state: "stored",
    loadedBytes: sizeBytes,
    path: pathOf(model),
  };
}

export function pathOf({ file }: StoredModel): string | null {
  return file.kind === "path" ? file.path : null;
}

const roleWords = { default: "default", "small-memory": "for little memory", fixture: "for tests" } as const;

export function renderModelList(models: readonly ListedModel[], style: Style): string[] {
  const [head = "", ...rows] = renderTable(
    [{ title: "model" }, { title: "size", align: "right" }, { title: "here" }, { title: "licence" }, { title: "" }],
    models.map((model) => [
      model.id,
      formatBytes(model.bytes),
      stateWords(model),
      model.licence ?? "",
      useWords(model),
    ]),
  );
  return [style.dim(head), ...rows];
}

function stateWords({ state, loadedBytes, bytes }: ListedModel): string {
  if (state === "stored") return "yes";
  return state === "absent" ? "-" : `${Math.floor((100 * loadedBytes) / bytes)} %`;
}

function useWords({ kind, role, engines }: ListedModel): string {
  if (kind === null) return "added";
  if (!engines?.some((engine) => engine === "wasm" || engine === "native")) return "not for these engines yet";
  return role == null ? "" : roleWords[role];
}
