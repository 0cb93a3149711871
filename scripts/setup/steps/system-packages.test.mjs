import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const start = fileURLToPath(new URL("../../start.mjs", import.meta.url));

it("says exactly what to run where it may not install anything, and leaves with 2", () => {
  const empty = mkdtempSync(join(tmpdir(), "optio-nothing-"));
  try {
    // No program at all on the PATH: neither a compiler nor apt-get.
    const { status, stderr } = spawnSync(process.execPath, [start, "--once"], {
      env: { PATH: empty, HOME: empty, OPTIO_CACHE: join(empty, "cache") },
      encoding: "utf8",
    });
    expect(stderr).toMatch(/Missing: emcc, cmake, ninja/);
    expect(stderr).toMatch(
      /sudo apt-get install emscripten node-acorn cmake ninja-build clang-19 lld-19 llvm-19 git ca-certificates/,
    );
    expect(stderr).toMatch(/sudo dnf install emscripten cmake ninja-build git/);
    expect(stderr).toMatch(/brew install emscripten cmake ninja git/);
    expect(status).toBe(2);
  } finally {
    rmSync(empty, { recursive: true });
  }
});
