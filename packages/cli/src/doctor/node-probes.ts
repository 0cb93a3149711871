import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { access, mkdir, readFile, statfs } from "node:fs/promises";
import { availableParallelism, cpus, freemem, totalmem } from "node:os";
import { detectFeatures, hasThreads, OptioError, wasmVariants } from "@optio/core";
import { findNativeProgram } from "@optio/server-bridge";
import { z } from "zod";
import { cpuFeatures } from "./machine-checks.js";
import { askNativeProgram } from "./native-hello.js";
import type {
  ArtefactFacts,
  ArtefactFile,
  CacheFacts,
  CpuFacts,
  DoctorProbes,
  MemoryFacts,
  NativeFacts,
} from "./probes.js";

export interface ProbePlaces {
  /** Where the WebAssembly scorer lies. */
  readonly wasmFolder: URL;
  readonly cacheFolder: string;
}

export function nodeProbes({ wasmFolder, cacheFolder }: ProbePlaces): DoctorProbes {
  return {
    runtime: () => ({ node: process.versions.node, platform: process.platform, arch: process.arch }),
    cpu: probeCpu,
    memory: probeMemory,
    wasm: () => detectFeatures(availableParallelism()),
    artefacts: () => probeArtefacts(wasmFolder),
    native: probeNative,
    cache: () => probeCache(cacheFolder),
  };
}

async function probeCpu(): Promise<CpuFacts> {
  const features = await linuxCpuFeatures();
  return {
    model: cpus()[0]?.model.trim() || process.arch,
    processors: availableParallelism(),
    ...(features === undefined ? {} : { features }),
  };
}

async function linuxCpuFeatures(): Promise<string[] | undefined> {
  const info = await readFile("/proc/cpuinfo", "utf8").catch(() => "");
  const line = /^(?:flags|Features)\s*:(.*)$/mu.exec(info)?.[1];
  if (line === undefined) return undefined;
  const flags = new Set(line.trim().split(/\s+/u));
  return cpuFeatures.filter((feature) => flags.has(feature));
}

function probeMemory(): MemoryFacts {
  const limit = process.constrainedMemory();
  // Without a limit the number is 0 or larger than the machine.
  const totalBytes = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  const available = typeof process.availableMemory === "function" ? process.availableMemory() : freemem();
  return { totalBytes, availableBytes: Math.min(available, totalBytes) };
}

const artefacts: readonly Omit<ArtefactFile, "state">[] = wasmVariants.flatMap((variant) =>
  ["mjs", "wasm", ...(hasThreads(variant) ? ["worker.mjs"] : [])].map((suffix) => ({
    name: `scorer.${variant}.${suffix}`,
    variant,
  })),
);

const manifestSchema = z.object({
  llamaRelease: z.string().optional(),
  files: z.record(z.string(), z.object({ sha256: z.string() })),
});

async function probeArtefacts(folder: URL): Promise<ArtefactFacts> {
  const manifest = await readManifest(new URL("manifest.json", folder));
  const files = await Promise.all(
    artefacts.map(async (artefact): Promise<ArtefactFile> => {
      const content = await readFile(new URL(artefact.name, folder)).catch(() => undefined);
      if (content === undefined) return { ...artefact, state: "missing" };
      const wanted = manifest?.files[artefact.name]?.sha256;
      if (wanted === undefined) return { ...artefact, state: "unlisted" };
      return { ...artefact, state: createHash("sha256").update(content).digest("hex") === wanted ? "good" : "changed" };
    }),
  );
  const release = manifest?.llamaRelease;
  return {
    folder: decodeURIComponent(folder.pathname),
    files,
    ...(release === undefined ? {} : { built: `llama.cpp ${release}` }),
  };
}

async function readManifest(file: URL): Promise<z.infer<typeof manifestSchema> | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return manifestSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

async function probeNative(): Promise<NativeFacts> {
  try {
    const program = findNativeProgram();
    const { variant, llamaRelease } = await askNativeProgram(program, 10_000);
    return { state: "running", program: program.path, backend: variant, llamaRelease };
  } catch (error) {
    const { message, hint } = OptioError.from(error, "engine_start_failed");
    return { state: "unusable", why: message, todo: hint };
  }
}

async function probeCache(folder: string): Promise<CacheFacts> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
    const { bavail, bsize } = await statfs(folder);
    return { folder, writable: true, freeBytes: bavail * bsize };
  } catch (error) {
    return { folder, writable: false, why: error instanceof Error ? `${error.message}.` : String(error) };
  }
}
