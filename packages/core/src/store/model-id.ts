/** A safe file name for an address or path, ending in `.gguf`. */
export function modelFileName(addressOrPath: string): string {
  const last =
    addressOrPath
      .replace(/[?#].*$/, "")
      .split(/[/\\]/)
      .at(-1) ?? "";
  const safe = decoded(last)
    .replace(/\.gguf$/i, "")
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[.-]+/, "")
    .slice(0, 120);
  return `${safe === "" ? "model" : safe}.gguf`;
}

/** The id of a model that no catalogue names: its file name, and the start of its hash where another model has that. */
export function addedModelId(fileName: string, sha256: string, taken: ReadonlySet<string>): string {
  const id = fileName.replace(/\.gguf$/i, "").toLowerCase();
  return taken.has(id) ? `${id}-${sha256.slice(0, 8)}` : id;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
