import type { ModelFile, SyncReader } from "../store/model-file.js"; export async function openModelFile(_file: ModelFile): Promise<SyncReader> { throw "stub"; }
