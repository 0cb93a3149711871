import { readdirSync, readFileSync } from "node:fs";
import { z } from "zod";
import { modelSchema, profileSchema } from "./schema.mjs";

/** Reads and checks the JSON files of a folder; the message of a failure names the file and the field. */
function readFolder(folder, schema, nameOf) {
  const base = new URL(`./${folder}/`, import.meta.url);
  const files = readdirSync(base)
    .filter((file) => file.endsWith(".json"))
    .sort();
  return files.map((file) => {
    const parsed = schema.safeParse(JSON.parse(readFileSync(new URL(file, base), "utf8")));
    if (!parsed.success) throw new Error(`models/${folder}/${file}: ${z.prettifyError(parsed.error)}`);
    if (nameOf(parsed.data) !== file) throw new Error(`models/${folder}/${file} should be named ${nameOf(parsed.data)}`);
    return parsed.data;
  });
}

/** Every model and every profile, checked, in the order of their ids; the default model comes first. */
export function readModels() {
  const models = readFolder("catalogue", modelSchema, ({ id }) => `${id}.json`);
  const profiles = readFolder("profiles", profileSchema, ({ id, version }) => `${id}.v${version}.json`);
  for (const role of ["default", "small-memory", "fixture"]) {
    const count = models.filter((model) => model.role === role).length;
    if (count !== 1) throw new Error(`models/catalogue: ${count} models have the role ${role}, one must`);
  }
  for (const model of models) {
    if (model.kind === "asked" && !profiles.some(({ id }) => id === model.profile)) {
      throw new Error(`models/catalogue/${model.id}.json: there is no profile ${model.profile}`);
    }
  }
  models.sort((a, b) => Number(b.role === "default") - Number(a.role === "default"));
  return { models, profiles };
}
