import { OptioError } from "@optio/core";
import type { EngineName, EngineRequest } from "../context.js";
import { readProfile } from "../input/profile.js";
import type { EngineFlags } from "./engine-flags.js";

/** Flags that only some engines have, and which. */
const belongsTo: Readonly<Partial<Record<keyof EngineFlags, readonly EngineName[]>>> = {
  threads: ["wasm", "native"],
  context: ["wasm", "native"],
  gpuLayers: ["native"],
  profile: ["wasm", "native", "sagemaker"],
  url: ["remote", "sagemaker"],
  endpoint: ["sagemaker"],
  codec: ["sagemaker"],
  region: ["sagemaker"],
  component: ["sagemaker"],
  coldStart: ["sagemaker"],
};

/**
 * What the flags say about the engine.
 *
 * @throws OptioError `invalid_setting` for flags that do not go together, or a profile that cannot be read.
 */
export async function engineRequest(flags: EngineFlags): Promise<EngineRequest> {
  checkFlags(flags);
  const { engine: kind, model, profile } = flags;
  const common = {
    ...(model === undefined ? {} : { model }),
    ...(profile === undefined ? {} : { profile: await readProfile(profile) }),
  };
  if (kind === "remote") {
    return { kind, url: required(flags.url, "--url", "where the server is, such as http://127.0.0.1:8080"), ...common };
  }
  if (kind === "sagemaker") {
    const { url, region, component, coldStart } = flags;
    return {
      kind,
      endpoint: required(flags.endpoint, "--endpoint", "the name of the endpoint"),
      codec: flags.codec ?? "systemone",
      ...(url === undefined ? {} : { endpointUrl: url }),
      ...(region === undefined ? {} : { region }),
      ...(component === undefined ? {} : { inferenceComponent: component }),
      ...(coldStart === undefined ? {} : { coldStartMs: coldStart }),
      ...common,
    };
  }
  return {
    kind,
    ...(flags.threads === undefined ? {} : { threads: flags.threads }),
    ...(flags.context === undefined ? {} : { contextTokens: flags.context }),
    ...(flags.gpuLayers === undefined ? {} : { gpuLayers: flags.gpuLayers }),
    ...common,
  };
}

function checkFlags(flags: EngineFlags): void {
  for (const [name, engines] of Object.entries(belongsTo)) {
    if (flags[name as keyof EngineFlags] === undefined || engines.includes(flags.engine)) continue;
    const flag = `--${name.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`;
    throw new OptioError("invalid_setting", `${flag} does not go with the ${flags.engine} engine.`, {
      hint: `Add --engine ${engines.join(" or --engine ")}, or leave ${flag} out.`,
    });
  }
}

function required(value: string | undefined, flag: string, what: string): string {
  if (value !== undefined && value !== "") return value;
  throw new OptioError("invalid_setting", `${flag} is missing.`, { hint: `Add ${flag}: ${what}.` });
}
