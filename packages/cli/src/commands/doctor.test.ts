import { describe, expect, it } from "vitest";
import { goodProbes } from "../testing/good-probes.js";
import { runCli } from "../testing/run-cli.js";

const noEngine = {
  ...goodProbes,
  wasm: () => ({ simd: false, relaxedSimd: false, threads: false }),
  native: async () => ({ state: "unusable", why: "It is not built.", todo: "Build it." }) as const,
};

describe("optio doctor", () => {
  it("ends with 0 when an engine can decide, and says which", async () => {
    const { code, stdout, stderr } = await runCli(["doctor"], { probes: goodProbes });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/\nCan decide with: wasm and native\.\n$/u);
  });

  it("ends with 3 when none can, with the reason and what to do", async () => {
    const { code, stdout } = await runCli(["doctor"], { probes: noEngine });
    expect(code).toBe(3);
    expect(stdout).toMatch(/no {8}WebAssembly {9}no SIMD\n +This runtime was built without/u);
    expect(stdout).toMatch(/\nNo engine can decide on this machine yet\.\n$/u);
  });

  it("gives the same as JSON", async () => {
    const { code, stdout } = await runCli(["doctor", "--json"], { probes: noEngine });
    expect(code).toBe(3);
    const { checks, engines } = JSON.parse(stdout);
    expect(engines).toEqual([]);
    expect(checks.map(({ id }: { id: string }) => id)).toEqual([
      "node",
      "cpu",
      "memory",
      "wasm-support",
      "wasm-files",
      "native",
      "cache",
      "models",
    ]);
    expect(checks[3]).toMatchObject({ status: "no", why: expect.any(String), todo: expect.any(String) });
  });
});
