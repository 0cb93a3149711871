import type { Progress } from "../engines/engine.js";
import type { CatalogueEntry } from "./catalogue.js";
import type { ModelFile } from "./model-file.js";
export interface StoredModel { readonly id: string; readonly sha256: string; readonly entry?: CatalogueEntry; readonly file: ModelFile; readonly sizeBytes: number }
export interface ModelStore { get(reference: string | undefined, options: { signal?: AbortSignal; onProgress?: (p: Progress) => void }): Promise<StoredModel> }
