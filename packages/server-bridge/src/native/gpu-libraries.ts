import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { OptioError } from "@optio/core";

/** What computes on a graphics card; each is an npm package of prebuilt libraries that is installed where it is wanted. */
export const gpuKinds = ["cuda", "vulkan"] as const;

export type GpuKind = (typeof gpuKinds)[number];

const version = "3.21.1";
const packageOf = (kind: GpuKind) => `@node-llama-cpp/linux-x64-${kind}`;

function installed(kind: GpuKind): string | undefined {
  try {
    const entry = fileURLToPath(import.meta.resolve(packageOf(kind)));
    const folder = join(dirname(entry), "..", "bins", `linux-x64-${kind}`);
    return existsSync(folder) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** The folder of the libraries of `kind`, or of whichever is installed, CUDA first; `undefined` when there is none. */
export function findGpuLibraries(kind?: GpuKind): string | undefined {
  return (kind === undefined ? gpuKinds : [kind]).map(installed).find((folder) => folder !== undefined);
}

/** The error for libraries that are asked for and not there. */
export function noGpuLibraries(kind?: GpuKind): OptioError {
  const kinds = kind === undefined ? gpuKinds : [kind];
  return new OptioError("engine_unavailable", `There are no libraries for ${kinds.join(" or ")} here.`, {
    hint: `Install ${kinds.map((name) => `${packageOf(name)}@${version}`).join(" or ")}, or leave \`gpuLayers\` out.`,
  });
}

const linkedFolders = new Map<string, string>();

/**
 * A folder with the libraries of another under the names that the native program was linked to. The packages name them differently
 * (`libllama.vulkan.v0.4.0.so`) although the interface is the same; the loader sees that both names are one file. One folder a
 * process, which goes with it.
 */
export function linkedLibraries(folder: string): string {
  const known = linkedFolders.get(folder);
  if (known !== undefined) return known;
  const linked = mkdtempSync(join(tmpdir(), "optio-libraries-"));
  process.once("exit", () => rmSync(linked, { recursive: true, force: true }));
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".so"))) {
    const usual = name.replace(/^(lib\w+)\.(?:cuda|vulkan)\.(v[\d.]+\.so)$/, "$1.$2");
    for (const link of new Set([name, usual])) symlinkSync(join(folder, name), join(linked, link));
  }
  linkedFolders.set(folder, linked);
  return linked;
}
