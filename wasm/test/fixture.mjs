import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ModuleClient, NativeClient } from "./client.mjs";

const cache = process.env.OPTIO_CACHE || join(homedir(), ".cache", "optio");

/** The tests' model, where the model store keeps it. */
export const modelPath = join(
  cache,
  "models/b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53/SmolLM2-135M-Instruct.Q4_1.gguf",
);

/** Every way to run the scorer, by name. */
export const transports = {
  "module, one thread": () => ModuleClient.start(),
  "module, two threads": () => ModuleClient.start({ threads: 2 }),
  "native program": () => NativeClient.start({ threads: 2 }),
};

/** Whether this runtime has relaxed SIMD: one function with `i32x4.relaxed_dot_i8x16_i7x16_add_s` in it. */
export const hasRelaxedSimd = WebAssembly.validate(
  Uint8Array.from([
    ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 20, 1, 18, 0],
    ...[65, 0, 253, 15, 65, 0, 253, 15, 65, 0, 253, 15, 253, 147, 2, 26, 11],
  ]),
);

/** The builds whose numbers differ a little from one processor to another. */
export const relaxedTransports = hasRelaxedSimd
  ? {
      "module with relaxed SIMD, one thread": () => ModuleClient.start({ relaxed: true }),
      "module with relaxed SIMD, two threads": () => ModuleClient.start({ relaxed: true, threads: 2 }),
    }
  : {};

export const nativeIsBuilt = existsSync(new URL("../../packages/server-bridge/native/optio-scorer", import.meta.url));

/** Token ids that look like text to nobody, but are the same for everyone. */
export function tokens(count, seed) {
  const bytes = (index) => createHash("sha256").update(`${seed} ${index}`).digest();
  return Array.from({ length: count }, (_, index) => 300 + (bytes(index).readUInt32LE(0) % 40_000));
}

/** The first bytes of the model: its header and its facts, and some weights. */
export function modelHead(length) {
  return readFileSync(modelPath).subarray(0, length);
}
