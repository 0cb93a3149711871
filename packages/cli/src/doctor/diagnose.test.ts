import { describe, expect, it } from "vitest";
import { renderDiagnosis } from "../output/doctor-view.js";
import { styleFor } from "../output/style.js";
import { goodProbes } from "../testing/good-probes.js";
import { diagnose } from "./diagnose.js";
import type { DoctorProbes } from "./probes.js";

const usual = { id: "small-model", bytes: 1_000_000_000 };
const models = { usual, stored: [usual] };

async function statusOf(changes: Partial<DoctorProbes>, facts = models) {
  const { checks, engines } = await diagnose({ ...goodProbes, ...changes }, facts);
  return { engines, unwell: checks.filter(({ status }) => status !== "ok") };
}

describe("diagnose", () => {
  it("finds nothing wrong with a good machine", async () => {
    expect(await statusOf({})).toEqual({ engines: ["wasm", "native"], unwell: [] });
  });

  it("does without the native program", async () => {
    const native = async () => ({ state: "unusable", why: "It is not built.", todo: "Build it." }) as const;
    expect(await statusOf({ native })).toMatchObject({
      engines: ["wasm"],
      unwell: [{ id: "native", status: "warning", why: "It is not built.", todo: "Build it." }],
    });
  });

  it("refuses an old Node whatever else is there", async () => {
    const runtime = () => ({ node: "20.18.3", platform: "linux", arch: "x64" });
    expect(await statusOf({ runtime })).toMatchObject({ engines: [], unwell: [{ id: "node", status: "no" }] });
  });

  it("falls back to one thread when the threaded build is damaged", async () => {
    const { files, folder } = await goodProbes.artefacts();
    const artefacts = async () => ({
      folder,
      files: files.map((file) =>
        file.name === "scorer.simd-threads.wasm" ? ({ ...file, state: "changed" } as const) : file,
      ),
    });
    expect(await statusOf({ artefacts })).toMatchObject({
      engines: ["wasm", "native"],
      unwell: [
        {
          id: "wasm-files",
          status: "warning",
          found: "simd",
          why: expect.stringContaining("scorer.simd-threads.wasm differs"),
        },
      ],
    });
  });

  it("cannot use WebAssembly without the files, nor the threaded build without shared memory", async () => {
    const { files, folder } = await goodProbes.artefacts();
    const native = async () => ({ state: "unusable", why: "-", todo: "-" }) as const;
    const missing = async () => ({ folder, files: files.map((file) => ({ ...file, state: "missing" }) as const) });
    expect((await statusOf({ artefacts: missing, native })).engines).toEqual([]);
    const onlyThreads = async () => ({
      folder,
      files: files.map((file) => (file.variant === "simd" ? ({ ...file, state: "missing" } as const) : file)),
    });
    expect((await statusOf({ artefacts: onlyThreads, native })).engines).toEqual(["wasm"]);
    const noThreads = () => ({ simd: true, relaxedSimd: true, threads: false });
    expect((await statusOf({ artefacts: onlyThreads, native, wasm: noThreads })).engines).toEqual([]);
  });

  it("says that files without a manifest were not checked", async () => {
    const { files, folder } = await goodProbes.artefacts();
    const artefacts = async () => ({ folder, files: files.map((file) => ({ ...file, state: "unlisted" }) as const) });
    expect(await statusOf({ artefacts })).toMatchObject({
      engines: ["wasm", "native"],
      unwell: [{ id: "wasm-files", status: "warning", why: expect.stringContaining("no manifest") }],
    });
  });

  it("compares memory and space with what the default model needs", async () => {
    const memory = () => ({ totalBytes: 2e9, availableBytes: 1e9 });
    const cache = async () => ({ folder: "/cache", writable: true, freeBytes: 5e8 });
    expect((await statusOf({ memory, cache })).unwell).toMatchObject([
      { id: "memory", why: "small-model takes about 1.50 GB." },
    ]);
    expect((await statusOf({ cache }, { usual, stored: [] })).unwell).toMatchObject([
      { id: "cache", why: "The default model needs another 1.00 GB." },
      { id: "models", todo: expect.stringContaining("optio models pull small-model") },
    ]);
  });

  it("cannot decide without a place for models, unless one is there already", async () => {
    const cache = async () => ({ folder: "/cache", writable: false });
    expect((await statusOf({ cache }, { usual, stored: [] })).engines).toEqual([]);
    expect((await statusOf({ cache })).engines).toEqual(["wasm", "native"]);
  });

  it("gives a reason and a remedy for everything that is not ok", async () => {
    const { checks } = await diagnose(
      {
        ...goodProbes,
        runtime: () => ({ node: "18.0.0", platform: "linux", arch: "x64" }),
        wasm: () => ({ simd: false, relaxedSimd: false, threads: false }),
        cpu: async () => ({ model: "old", processors: 1, features: [] }),
        memory: () => ({ totalBytes: 1e9, availableBytes: 1e8 }),
        native: async () => ({ state: "unusable", why: "It crashed.", todo: "Build it again." }),
        artefacts: async () => ({ folder: "/f", files: [{ name: "a", variant: "simd", state: "missing" }] }),
        cache: async () => ({ folder: "/c", writable: false }),
      },
      { usual, stored: [] },
    );
    expect(checks.map(({ status }) => status)).not.toContain("ok");
    for (const { why, todo } of checks) {
      expect(why).toMatch(/\.$/u);
      expect(todo).toMatch(/\.$/u);
    }
  });
});

describe("renderDiagnosis", () => {
  it("shows what was found, why it is not right and what to do", async () => {
    const native = async () => ({ state: "unusable", why: "It is not built.", todo: "Build it." }) as const;
    const lines = renderDiagnosis(
      await diagnose({ ...goodProbes, native }, models),
      styleFor({ isTerminal: false }, {}),
    );
    expect(lines[0]).toBe("ok        Node                20.19.0 on linux x64");
    expect(lines.join("\n")).toContain(
      "warning   Native program      not usable\n                              It is not built.\n                              → Build it.",
    );
    expect(lines.at(-1)).toBe("Can decide with: wasm.");
  });
});
