import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** The folder of the model store that `@optio/core` uses in Node: `models` in `OPTIO_CACHE`, or in the user's cache folder. */
export function defaultModelsDir(environment: NodeJS.ProcessEnv = process.env): string {
  const { OPTIO_CACHE, XDG_CACHE_HOME, LOCALAPPDATA } = environment;
  if (OPTIO_CACHE) return join(resolve(OPTIO_CACHE), "models");
  if (process.platform === "win32" && LOCALAPPDATA) return join(LOCALAPPDATA, "optio", "cache", "models");
  return join(XDG_CACHE_HOME || join(homedir(), ".cache"), "optio", "models");
}
