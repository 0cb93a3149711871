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
