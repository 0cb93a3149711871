import { readdirSync, readFileSync } from "node:fs";
import { z } from "zod";
import { modelSchema, profileSchema } from "./schema.mjs";

/** Reads and checks the JSON files of a folder; the message of a failure names the file and the field. */
function readFolder(base, folder, schema, nameOf) {
  const place = new URL(`./${folder}/`, base);
  const files = readdirSync(place)
    .filter((file) => file.endsWith(".json"))
    .sort();
  return files.map((file) => {
    const parsed = schema.safeParse(readJson(new URL(file, place), `models/${folder}/${file}`));
    if (!parsed.success) throw new Error(`models/${folder}/${file}: ${z.prettifyError(parsed.error)}`);
    if (nameOf(parsed.data) !== file) {
      throw new Error(`models/${folder}/${file} should be named ${nameOf(parsed.data)}`);
    }
    return parsed.data;
  });
}

function readJson(url, name) {
  try {
    return JSON.parse(readFileSync(url, "utf8"));
  } catch (cause) {
    throw new Error(`${name} is not JSON: ${cause.message}`, { cause });
  }
}

/**
 * Every model and every profile, checked, in the order of their ids; the default model comes first.
 *
 * `base` is the folder that holds `catalogue/` and `profiles/`.
 */
export function readModels(base = new URL("./", import.meta.url)) {
  const models = readFolder(base, "catalogue", modelSchema, ({ id }) => `${id}.json`);
  const profiles = readFolder(base, "profiles", profileSchema, ({ id, version }) => `${id}.v${version}.json`);
  checkTogether(models, profiles);
  models.sort((a, b) => Number(b.role === "default") - Number(a.role === "default"));
  return { models, profiles };
}

/** What no file can say by itself. */
function checkTogether(models, profiles) {
  for (const role of ["default", "small-memory", "fixture"]) {
    const count = models.filter((model) => model.role === role).length;
    if (count !== 1) throw new Error(`models/catalogue: ${count} models have the role ${role}, one must`);
  }
  const byHash = new Map();
  for (const { id, sha256, kind, profile } of models) {
    if (kind === "asked" && !profiles.some((candidate) => candidate.id === profile)) {
      throw new Error(`models/catalogue/${id}.json: there is no profile ${profile}`);
    }
    if (byHash.has(sha256)) {
      throw new Error(`models/catalogue/${id}.json has the SHA-256 of ${byHash.get(sha256)}`);
    }
    byHash.set(sha256, id);
  }
}
