import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { z } from "zod";
import type { ProfileIdentity } from "../engines/engine.js";
import { OptioError } from "../errors.js";
import { profiles as builtIn } from "../generated/models.js";

const placeholders = /\{(\w+)\}/g;

/** A template that has exactly the given `{name}` placeholders: one that is misspelt would be shown to the model. */
const textWith = (...names: readonly string[]) =>
  z
    .string()
    .refine((text) => names.every((name) => text.includes(`{${name}}`)), {
      message: `must contain ${names.map((name) => `{${name}}`).join(" and ")}`,
    })
    .refine((text) => [...text.matchAll(placeholders)].every(([, name]) => names.includes(name ?? "")), {
      message: `must contain no placeholders but ${names.map((name) => `{${name}}`).join(" and ")}`,
    });

/** How one option is written, with and without a description. */
const optionLine = (...names: readonly string[]) =>
  z.strictObject({ described: textWith(...names, "description"), bare: textWith(...names) });

export const profileSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9.-]*$/, "must be lower-case letters, digits, dots and dashes"),
  version: z.int().positive(),
  layout: z.enum(["state-first", "question-first"]),
  system: z.string().min(1),
  /** Sections of the user's message; each but the last ends with a line break, so that tokens never span two of them. */
  state: textWith("state").refine((text) => text.endsWith("\n"), "must end with a line break"),
  question: textWith("instructions", "options").refine((text) => text.endsWith("\n"), "must end with a line break"),
  reply: z.strictObject({ letter: z.string().min(1), sequence: z.string().min(1) }),
  option: z.strictObject({ letter: optionLine("label", "name"), sequence: optionLine("name") }),
  /** Stands for the state when a prior is measured. */
  emptyState: z.string().min(1),
});

/** A versioned wording of the prompt. */
export type PromptProfile = z.infer<typeof profileSchema>;

/**
 * Checks a profile that comes from outside.
 *
 * @throws OptioError `invalid_setting` that names the field.
 */
export function parseProfile(value: unknown): PromptProfile {
  const profile = profileSchema.safeParse(value);
  if (profile.success) return profile.data;
  throw new OptioError("invalid_setting", `The prompt profile is not valid: ${z.prettifyError(profile.error)}`);
}

/**
 * The newest version of a profile that comes with the library.
 *
 * @throws OptioError `invalid_setting` when there is no profile of that id.
 */
export function builtInProfile(id: string): PromptProfile {
  const [profile] = builtIn.filter((candidate) => candidate.id === id).sort((a, b) => b.version - a.version);
  if (profile !== undefined) return profile;
  throw new OptioError("invalid_setting", `There is no prompt profile ${JSON.stringify(id)}.`, {
    hint: `Known profiles: ${[...new Set(builtIn.map((candidate) => candidate.id))].join(", ")}.`,
  });
}

/** What a receipt says about a profile. The hash is over the fields in the order of the schema, as JSON. */
export function profileIdentity(profile: PromptProfile): ProfileIdentity {
  const canonical = JSON.stringify(profileSchema.parse(profile));
  return { id: profile.id, version: profile.version, sha256: bytesToHex(sha256(utf8ToBytes(canonical))) };
}

/** Fills `{name}` placeholders; values are never searched for placeholders themselves. */
export function fillIn(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(placeholders, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? placeholder) : placeholder,
  );
}
