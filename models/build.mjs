import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { readModels } from "./catalogue.mjs";

// Writes catalogue and profiles as a module of the core package, since not every runtime can import JSON.
const { models, profiles } = readModels();
const target = new URL("../packages/core/src/generated/models.ts", import.meta.url);
const text = `// Written by models/build.mjs from models/catalogue and models/profiles.
import type { PromptProfile } from "../prompt/profile.js";
import type { CatalogueEntry } from "../store/catalogue.js";

export const catalogue: readonly CatalogueEntry[] = ${JSON.stringify(models, null, 2)};

export const profiles: readonly PromptProfile[] = ${JSON.stringify(profiles, null, 2)};
`;
if (!existsSync(target) || readFileSync(target, "utf8") !== text) {
  mkdirSync(new URL(".", target), { recursive: true });
  writeFileSync(target, text);
}
