import type { StandardJSONSchemaV1 } from "@standard-schema/spec";
import { OptioError } from "../errors.js";
import { choice } from "./choice.js";
import { type JsonSchema, parseJsonSchema } from "./json-schema.js";
import { locateErrors } from "./locate-errors.js";
import { noul } from "./noul.js";
import type { ChoiceAnswer, NamedQuestion, NoulAnswer, Question } from "./question.js";

/**
 * A schema of any library that follows Standard Schema and offers JSON Schema, such as zod from 4.2 or arktype from 2.1.28.
 *
 * arktype sorts the members of a union, so that the order of options written there is not the author's.
 */
export type Schema<Output = unknown> = StandardJSONSchemaV1<unknown, Output>;

/** The answer to a schema of one value: yes/no for a boolean, else a choice whose keys are the literals. */
export type SchemaAnswer<S extends Schema> = ValueAnswer<StandardJSONSchemaV1.InferOutput<S>>;

/** The answers to an object schema, by property; optional properties are answered as well. */
export type SchemaAnswers<S extends Schema> = ObjectAnswers<StandardJSONSchemaV1.InferOutput<S>>;

type ObjectAnswers<T> = T extends object ? { readonly [K in keyof T & string]-?: ValueAnswer<T[K]> } : never;

type ValueAnswer<T> = [Exclude<T, undefined>] extends [boolean]
  ? NoulAnswer
  : [Exclude<T, undefined>] extends [infer V extends string | number]
    ? ChoiceAnswer<`${V}`>
    : never;

/** Whether a value follows Standard Schema; one without JSON Schema counts, so that it gets a message of its own. */
export function isSchema(value: unknown): value is Schema {
  return (typeof value === "object" || typeof value === "function") && value !== null && "~standard" in value;
}

/**
 * The question that a schema of an enum, a boolean or a union of literals asks.
 *
 * The schema's description is the question; descriptions of a union's literals describe the options. Without a
 * description a general question is made of the name.
 *
 * @param name what the value is called, for example the property's name
 * @throws OptioError `invalid_schema`; `invalid_options`
 */
export function questionFromSchema(schema: Schema, name: string): Question {
  return locateErrors([name], () => toQuestion(jsonSchemaOf(schema), name));
}

/**
 * One question for each property of an object schema.
 *
 * @throws OptioError `invalid_schema`; `invalid_options`
 */
export function questionsFromSchema(schema: Schema): readonly NamedQuestion[] {
  const { properties } = jsonSchemaOf(schema);
  if (properties === undefined) {
    throw new OptioError("invalid_schema", "The schema is not an object schema.", {
      hint: "Give the schema a name: pass { name: schema }, or an object schema.",
    });
  }
  const entries = Object.entries(properties);
  if (entries.length === 0) throw new OptioError("invalid_schema", "The object schema has no properties.");
  return entries.map(([id, property]) => ({ id, question: locateErrors([id], () => toQuestion(property, id)) }));
}

function jsonSchemaOf(schema: Schema): JsonSchema {
  const standard: Partial<Schema["~standard"]> = schema["~standard"];
  if (standard.jsonSchema === undefined) {
    throw new OptioError("invalid_schema", `The schema library "${standard.vendor}" offers no JSON Schema.`, {
      hint: "Use a library with `~standard.jsonSchema` (zod 4.2 or later, arktype 2.1.28 or later), or `choice` and `noul`.",
    });
  }
  let converted: unknown;
  try {
    converted = standard.jsonSchema.output({ target: "draft-2020-12" });
  } catch (cause) {
    throw new OptioError("invalid_schema", "The schema cannot be written as JSON Schema.", { cause });
  }
  return parseJsonSchema(converted);
}

function toQuestion(schema: JsonSchema, name: string): Question {
  const values = schema.literals;
  if (values === undefined) {
    throw new OptioError("invalid_schema", `The schema is ${schema.summary}, which has no fixed set of values.`);
  }
  const asked = schema.description;
  // Some libraries repeat the description of the whole in every member.
  const meaningOf = (description: string | undefined) => (description === asked ? undefined : description);

  if (values.every(({ value }) => typeof value === "boolean")) {
    if (new Set(values.map(({ value }) => value)).size !== 2) {
      throw new OptioError("invalid_schema", `The schema allows only one of true and false.`);
    }
    const criterion = (side: boolean) => meaningOf(values.find(({ value }) => value === side)?.description) ?? "";
    return noul(asked ?? `Does this apply: ${wordsOf(name)}?`, { true: criterion(true), false: criterion(false) });
  }

  const options = values.map(({ value, description }) => {
    if (typeof value !== "string" && typeof value !== "number") {
      throw new OptioError("invalid_schema", `The schema has the value ${JSON.stringify(value)} beside others.`, {
        hint: "Use only strings and numbers in a choice; an extra option such as `none` can stand for no value.",
      });
    }
    return [String(value), meaningOf(description) ?? null] as const;
  });
  return choice(asked ?? `Which of the options fits best as "${wordsOf(name)}"?`, options);
}

/** `isUrgent` and `is_urgent` as "is urgent". */
function wordsOf(name: string): string {
  return name
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .replace(/[_-]+/gu, " ")
    .trim()
    .toLowerCase();
}
