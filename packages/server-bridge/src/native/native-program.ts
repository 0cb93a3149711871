import { existsSync, readFileSync } from "node:fs";
import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";
import { OptioError } from "@optio/core";
import { z } from "zod";

/** The native scorer's program and what it needs to run. */
export interface NativeProgram {
  readonly path: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** `program` is relative to the description. */
const descriptionSchema = z.object({ program: z.string(), libraries: z.string() });

/** Written by the build of `wasm/` beside this package's sources. */
const description = new URL("../../native/native.json", import.meta.url);

function readDescription() {
  try {
    return descriptionSchema.parse(JSON.parse(readFileSync(description, "utf8")));
  } catch (cause) {
    throw new OptioError("engine_unavailable", `The native scorer's description is damaged: ${description.pathname}.`, {
      hint: "Build it again with `node wasm/build/build.mjs --native`.",
      cause,
    });
  }
}

/**
 * @param libraries folder of other libraries than those that the program was linked to, under the same names
 * @throws OptioError `engine_unavailable` when no native program was built here.
 */
export function findNativeProgram(libraries?: string): NativeProgram {
  if (!existsSync(description)) {
    throw new OptioError("engine_unavailable", "There is no native scorer here.", {
      hint: "Build it with `node wasm/build/build.mjs --native` (Linux on x64), or use the wasm engine.",
    });
  }
  const { libraries: usual, ...built } = readDescription();
  const program = fileURLToPath(new URL(built.program, description));
  if (!existsSync(program)) {
    throw new OptioError("engine_unavailable", `The native scorer is missing at ${program}.`, {
      hint: "Build it again with `node wasm/build/build.mjs --native`.",
    });
  }
  const searched = [libraries ?? usual, process.env["LD_LIBRARY_PATH"]].filter(Boolean).join(delimiter);
  return { path: program, environment: { ...process.env, LD_LIBRARY_PATH: searched } };
}
