import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { readModels } from "./catalogue.mjs";
import { modelSchema, profileSchema } from "./schema.mjs";

const { models, profiles } = readModels();
const [model] = models;
const [profile] = profiles;
const { template: _, ...withoutTemplate } = model;

const folders = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A copy of the catalogue in which one file is other; `change` gets its parsed content. */
function readChanged(file, change, name = file) {
  const folder = mkdtempSync(join(tmpdir(), "optio-models-"));
  folders.push(folder);
  for (const part of ["catalogue", "profiles"]) {
    cpSync(new URL(`./${part}`, import.meta.url), join(folder, part), { recursive: true });
  }
  const changed = change(JSON.parse(readFileSync(join(folder, file), "utf8")));
  rmSync(join(folder, file));
  writeFileSync(join(folder, name), typeof changed === "string" ? changed : JSON.stringify(changed));
  return readModels(pathToFileURL(`${folder}/`));
}

describe("catalogue", () => {
  it("begins with the default model", () => {
    expect(model.role).toBe("default");
    expect(models.map(({ id }) => id).slice(1)).toEqual(
      models
        .map(({ id }) => id)
        .slice(1)
        .sort(),
    );
  });

  it("justifies the readout of every model that it recommends by a measurement", () => {
    const recommended = models.filter(({ role }) => role === "default" || role === "small-memory");
    for (const { id, evidence } of recommended) expect(evidence?.correct ?? 0, id).toBeGreaterThan(0);
  });

  it("leaves decision models to the engines that can read them", () => {
    for (const { engines } of models.filter(({ kind }) => kind === "decision")) expect(engines).toEqual(["wllama"]);
  });
});

describe("readModels", () => {
  const smollm2 = "catalogue/smollm2-135m-instruct.json";
  const stateFirst = "profiles/state-first.v1.json";

  it("takes an unchanged copy", () => {
    expect(readChanged(smollm2, (same) => same)).toEqual({ models, profiles });
  });

  it.each([
    ["a file that is not JSON", smollm2, () => "{", /smollm2-135m-instruct\.json is not JSON/],
    ["a second default", smollm2, (m) => ({ ...m, role: "default" }), /2 models have the role default/],
    ["a missing fixture", smollm2, ({ role: _, ...m }) => m, /0 models have the role fixture/],
    ["an id that is not the file's name", smollm2, (m) => ({ ...m, id: "other" }), /should be named other\.json/],
    ["a profile that does not exist", smollm2, (m) => ({ ...m, profile: "none" }), /there is no profile none/],
    ["two models of one hash", smollm2, (m) => ({ ...m, sha256: model.sha256 }), /has the SHA-256 of/],
    ["a field that is wrong", smollm2, (m) => ({ ...m, bytes: -1 }), /smollm2-135m-instruct\.json: .*\n.*bytes/],
    ["a version that is not the file's", stateFirst, (p) => ({ ...p, version: 2 }), /named state-first\.v2\.json/],
  ])("refuses %s", (_, file, change, message) => {
    expect(() => readChanged(file, change)).toThrow(message);
  });
});

describe("modelSchema", () => {
  it.each([
    ["a hash that is cut", { ...model, sha256: model.sha256.slice(1) }],
    ["a branch instead of a commit", { ...model, sources: [{ ...model.sources[0], revision: "main" }] }],
    ["a file in a folder", { ...model, file: "x/y.gguf" }],
    ["no source", { ...model, sources: [] }],
    ["an unknown field", { ...model, colour: "red" }],
    ["a file that was read, without its template", withoutTemplate],
    ["a template of a file that was not read", { ...model, hash: "quoted" }],
    ["a context beyond the training", { ...model, contextTokens: model.trainedContextTokens + 1 }],
    ["more right than asked", { ...model, evidence: { ...model.evidence, correct: model.evidence.rows + 1 } }],
    ["a decision model with a readout", { ...models.find(({ kind }) => kind === "decision"), readout: model.readout }],
  ])("refuses %s", (_, wrong) => {
    expect(modelSchema.safeParse(model).success).toBe(true);
    expect(modelSchema.safeParse(wrong).success).toBe(false);
  });
});

describe("profileSchema", () => {
  it.each([
    ["a section without a line break", { ...profile, state: "Input: {state}" }],
    ["a question without options", { ...profile, question: "{instructions}\n" }],
    ["a placeholder that nothing fills", { ...profile, state: "{title}: {state}\n" }],
    ["a label where options have none", { ...profile, option: { ...profile.option, sequence: profile.option.letter } }],
    ["an unknown layout", { ...profile, layout: "both" }],
  ])("refuses %s", (_, wrong) => {
    expect(profileSchema.safeParse(profile).success).toBe(true);
    expect(profileSchema.safeParse(wrong).success).toBe(false);
  });
});
