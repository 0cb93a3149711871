import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "@playwright/test";
import { fixtureModelPath } from "./models.js";

const run = promisify(execFile);
const program = fileURLToPath(new URL("../runtimes/decide.mjs", import.meta.url));
const cwd = fileURLToPath(new URL("..", import.meta.url));

/** The executable that an npm package carries in a package a platform, without running install scripts. */
function binary(owner: string, platformPackages: readonly string[], path: string): string {
  const require = createRequire(createRequire(import.meta.url).resolve(`${owner}/package.json`));
  for (const name of platformPackages) {
    try {
      return join(dirname(require.resolve(`${name}/package.json`)), path);
    } catch {
      // Not the package of this platform.
    }
  }
  throw new Error(`${owner} has no program for ${process.platform} ${process.arch}`);
}

const runtimes: Readonly<Record<string, () => { file: string; args: readonly string[] }>> = {
  Node: () => ({ file: process.execPath, args: [] }),
  Deno: () => ({
    file: binary(
      "deno",
      ["@deno/linux-x64-glibc", "@deno/linux-arm64-glibc", "@deno/darwin-arm64", "@deno/darwin-x64"],
      "deno",
    ),
    args: ["run", "--allow-all", "--no-lock", "--node-modules-dir=manual"],
  }),
  Bun: () => ({
    file: binary(
      "bun",
      ["@oven/bun-linux-x64", "@oven/bun-linux-aarch64", "@oven/bun-darwin-aarch64", "@oven/bun-darwin-x64"],
      "bin/bun",
    ),
    args: ["run"],
  }),
};

interface Decided {
  readonly distribution: readonly { option: string; probability: number }[];
  readonly receipt: { readonly engine: { readonly backend: string } };
}

async function decide(runtime: string, variant?: string): Promise<Decided> {
  const { file, args } = runtimes[runtime]?.() ?? { file: "", args: [] };
  const env = { ...process.env, DENO_NO_UPDATE_CHECK: "1", DO_NOT_TRACK: "1" };
  const programArgs = [program, fixtureModelPath, ...(variant === undefined ? [] : [variant])];
  const { stdout } = await run(file, [...args, ...programArgs], { cwd, env, timeout: 120_000 });
  return JSON.parse(stdout);
}

for (const name of Object.keys(runtimes)) {
  test(`${name} decides with the built package`, async () => {
    const { distribution, receipt } = await decide(name);
    expect(distribution.map(({ option }) => option)).toEqual(["billing", "technical"]);
    expect(distribution.reduce((total, { probability }) => total + probability, 0)).toBeCloseTo(1, 6);
    console.log(`${name}: ${receipt.engine.backend}`);
  });
}

for (const name of Object.keys(runtimes).filter((name) => name !== "Node")) {
  test(`${name} gives Node's numbers with the same build`, async () => {
    const [here, node] = [await decide(name, "simd"), await decide("Node", "simd")];
    expect(here.receipt.engine.backend).toBe("simd");
    expect(here.distribution).toEqual(node.distribution);
  });
}
