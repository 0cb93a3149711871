import { OptioError, type PromptProfile, parseProfile } from "@optio/core";
import { readTextFile } from "./read-file.js";

/** @throws OptioError `invalid_setting` when the file is no JSON or no prompt profile. */
export async function readProfile(path: string): Promise<PromptProfile> {
  const text = await readTextFile(path, "--profile");
  return parseProfile(parseJson(text, path));
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new OptioError(
      "invalid_setting",
      `--profile: ${path} is not JSON: ${cause instanceof Error ? cause.message : cause}.`,
      {
        cause,
        hint: "A prompt profile is a JSON file; see models/profiles for examples.",
      },
    );
  }
}
