import { catalogue } from "../generated/models.js";
import type { ModelStore } from "../store/store.js";
export function createModelStore(): ModelStore {
  const files: Record<string,string> = { "smollm2-135m-instruct": "smollm2", "qwen2.5-coder-0.5b-instruct": "q05", "qwen2.5-coder-1.5b-instruct": "q15" };
  return { async get(reference = "qwen2.5-coder-1.5b-instruct") { const entry = catalogue.find((e) => e.id === reference); return { id: reference, sha256: entry?.sha256 ?? "", ...(entry ? { entry } : {}), sizeBytes: 0, file: { kind: "path", path: `/tmp/w/models/${files[reference]}.gguf` } }; } };
}
