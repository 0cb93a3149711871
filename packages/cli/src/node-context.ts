import { availableParallelism, cpus, homedir, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { createModelStore, type EngineSource, type ModelStore, remote, wasm } from "@optio/core";
import { native } from "@optio/server-bridge";
import type { CliContext, EngineRequest, Machine, RemoteRequest, SageMakerRequest } from "./context.js";
import { nodeProbes } from "./doctor/node-probes.js";
import { askOnTerminal, nodeInput, nodeOutput } from "./node-streams.js";

/** The outside world of a real process. */
export function nodeContext(): CliContext {
  let store: ModelStore | undefined;
  const openStore = (): ModelStore => {
    store ??= createModelStore();
    return store;
  };
  return {
    stdin: nodeInput(process.stdin),
    stdout: nodeOutput(process.stdout, { loses: false }),
    stderr: nodeOutput(process.stderr, { loses: true }),
    env: process.env,
    now: () => performance.now(),
    engine: (request) => startable(request, openStore()),
    store: openStore,
    probes: nodeProbes({
      wasmFolder: new URL("../wasm/", import.meta.resolve("@optio/core")),
      cacheFolder: cacheFolder(),
    }),
    machine: describeMachine,
    onInterrupt(listener) {
      // Once only: a second Ctrl-C ends the process at once.
      process.once("SIGINT", listener).once("SIGTERM", listener);
      return () => process.removeListener("SIGINT", listener).removeListener("SIGTERM", listener);
    },
    ask: askOnTerminal,
  };
}

/** The engines elsewhere are loaded when they are asked for: their packages may not be there. */
async function engineElsewhere(request: RemoteRequest | SageMakerRequest): Promise<EngineSource> {
  const { kind, ...options } = request;
  if ("url" in options) {
    const { OPTIO_API_KEY: apiKey } = process.env;
    return remote({ ...options, ...(apiKey ? { apiKey } : {}) });
  }
  const { sagemaker } = await import("@optio/server-bridge/sagemaker");
  return sagemaker(options);
}

function startable(request: EngineRequest, store: ModelStore): EngineSource {
  if (request.kind === "remote" || request.kind === "sagemaker") {
    const { kind } = request;
    return { kind, start: async (options) => (await engineElsewhere(request)).start(options) };
  }
  const { kind, model, threads, contextTokens, gpuLayers, profile } = request;
  const options = {
    store,
    ...(model === undefined ? {} : { model }),
    ...(threads === undefined ? {} : { threads }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(profile === undefined ? {} : { profile }),
  };
  if (kind === "wasm") return wasm(options);
  return native({ ...options, ...(gpuLayers === undefined ? {} : { gpuLayers }) });
}

function describeMachine(): Machine {
  return {
    platform: process.platform,
    arch: process.arch,
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    processors: availableParallelism(),
    memoryBytes: totalmem(),
    node: process.versions.node,
  };
}

/** Where core's model store keeps its files; the rule of `createModelStore`. */
function cacheFolder(): string {
  const { OPTIO_CACHE, XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (OPTIO_CACHE) return resolve(OPTIO_CACHE);
  if (process.platform === "win32" && LOCALAPPDATA) return join(LOCALAPPDATA, "optio", "cache");
  return join(XDG_CACHE_HOME || join(homedir(), ".cache"), "optio");
}
