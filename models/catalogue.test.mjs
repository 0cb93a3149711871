import { describe, expect, it } from "vitest";
import { readModels } from "./catalogue.mjs";
import { modelSchema, profileSchema } from "./schema.mjs";

const { models, profiles } = readModels();
const [model] = models;
const [profile] = profiles;

describe("catalogue", () => {
  it("begins with the default model and names each model once", () => {
    expect(model.role).toBe("default");
    expect(new Set(models.map(({ id }) => id)).size).toBe(models.length);
    expect(new Set(models.map(({ sha256 }) => sha256)).size).toBe(models.length);
  });

  it("gives every model that is asked a readout and a profile", () => {
    for (const asked of models.filter(({ kind }) => kind === "asked")) {
      expect(profiles.map(({ id }) => id)).toContain(asked.profile);
      expect(asked.readout).toBeDefined();
    }
  });

  it("justifies the default readout by a measurement", () => {
    expect(model.evidence?.correct).toBeGreaterThan(0);
  });

  it.each([
    ["a hash that is cut", { ...model, sha256: model.sha256.slice(1) }],
    ["a branch instead of a commit", { ...model, sources: [{ kind: "hub", repo: "a/b", revision: "main", file: model.file }] }],
    ["a file in a folder", { ...model, file: "x/y.gguf" }],
    ["no source", { ...model, sources: [] }],
    ["an unknown field", { ...model, colour: "red" }],
  ])("refuses %s", (_, wrong) => {
    expect(modelSchema.safeParse(wrong).success).toBe(false);
  });

  it.each([
    ["a section without a line break", { ...profile, state: "Input: {state}" }],
    ["a question without options", { ...profile, question: "{instructions}\n" }],
    ["an unknown layout", { ...profile, layout: "both" }],
  ])("refuses a profile with %s", (_, wrong) => {
    expect(profileSchema.safeParse(wrong).success).toBe(false);
  });
});
