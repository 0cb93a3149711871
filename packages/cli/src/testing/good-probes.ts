import type { DoctorProbes } from "../doctor/probes.js";

/** A machine with nothing wrong. */
export const goodProbes: DoctorProbes = {
  runtime: () => ({ node: "20.19.0", platform: "linux", arch: "x64" }),
  cpu: async () => ({ model: "Test CPU", processors: 4, features: ["avx2", "fma"] }),
  memory: () => ({ totalBytes: 16e9, availableBytes: 8e9 }),
  wasm: () => ({ simd: true, relaxedSimd: false, threads: true }),
  artefacts: async () => ({
    folder: "/package/wasm",
    built: "llama.cpp b11434",
    files: [
      { name: "scorer.simd.wasm", variant: "simd", state: "good" },
      { name: "scorer.simd-threads.wasm", variant: "simd-threads", state: "good" },
    ],
  }),
  native: async () => ({
    state: "running",
    program: "/package/optio-scorer",
    backend: "cpu-haswell",
    llamaRelease: "v0.4.0",
  }),
  cache: async () => ({ folder: "/cache", writable: true, freeBytes: 50e9 }),
};
