import { type } from "arktype";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { choice } from "./choice.js";
import {
  questionFromSchema,
  questionsFromSchema,
  type Schema,
  type SchemaAnswer,
  type SchemaAnswers,
} from "./from-schema.js";
import { noul } from "./noul.js";
import type { ChoiceAnswer, NoulAnswer, Question } from "./question.js";

const facts = ({ type, instructions, options, wire }: Question) => ({ type, instructions, options, wire });
const invalid = (message: string) =>
  expect.objectContaining({ code: "invalid_schema", message: expect.stringContaining(message) });

describe("questionFromSchema", () => {
  it.each<[string, Schema]>([
    ["a zod enum", z.enum(["b", "a"]).describe("Which?")],
    ["zod literals", z.literal(["b", "a"]).describe("Which?")],
    ["a zod union of literals", z.union([z.literal("b"), z.literal("a")]).describe("Which?")],
    ["a zod enum with an id", z.enum(["b", "a"]).meta({ id: "Team", description: "Which?" })],
    ["an optional zod enum with a default", z.enum(["b", "a"]).default("a").optional().describe("Which?")],
  ])("makes a choice of %s, its description being the question", (_, schema) => {
    expect(facts(questionFromSchema(schema, "team"))).toEqual(facts(choice("Which?", ["b", "a"])));
  });

  it.each<[string, Schema]>([
    ["zod", z.boolean().describe("Is it?")],
    ["zod's union of true and false", z.union([z.literal(false), z.literal(true)]).describe("Is it?")],
    ["arktype", type("boolean").describe("Is it?")],
  ])("makes a yes/no question of a boolean of %s", (_, schema) => {
    expect(facts(questionFromSchema(schema, "flag"))).toEqual(facts(noul("Is it?")));
  });

  it("describes options by the descriptions of a union's members", () => {
    const schema = z.union([z.literal("billing").describe("Invoices"), z.literal("other")]).describe("Which team?");
    expect(questionFromSchema(schema, "team").options).toEqual([
      { key: "billing", description: "Invoices" },
      { key: "other" },
    ]);
    const sides = z.union([z.literal(true).describe("Insults"), z.literal(false).describe("Calm")]).describe("Angry?");
    expect(facts(questionFromSchema(sides, "angry"))).toEqual(
      facts(noul("Angry?", { true: "Insults", false: "Calm" })),
    );
  });

  it("does not take arktype's repetition of the description for a description of each option", () => {
    expect(questionFromSchema(type("'a'|'b'").describe("Which?"), "team").options).toEqual([
      { key: "a" },
      { key: "b" },
    ]);
  });

  it("takes numbers as keys in the author's order", () => {
    const question = questionFromSchema(z.literal([10, 2]).describe("How many?"), "count");
    expect(question.options.map(({ key }) => key)).toEqual(["10", "2"]);
  });

  it.each([
    ["isVeryUrgent", z.boolean(), "Does this apply: is very urgent?"],
    ["support_team", z.enum(["a", "b"]), 'Which of the options fits best as "support team"?'],
  ])("makes a general question of the name %s where there is no description", (name, schema, instructions) => {
    expect(questionFromSchema(schema, name).instructions).toBe(instructions);
  });

  it.each<[string, Schema, string]>([
    ["text", z.string(), "x: The schema is of type string, which has no fixed set of values."],
    ["a list", z.array(z.boolean()), "x: The schema is of type array"],
    ["an object", z.object({ a: z.boolean() }), "x: The schema is of type object"],
    ["a union with text", z.union([z.literal("a"), z.string()]), "a union with a member that is of type string"],
    [
      "null among the values",
      z.enum(["a", "b"]).nullable(),
      "x: The schema is a union with a member that is of type null",
    ],
    [
      "a boolean among texts",
      z.union([z.literal("a"), z.literal(true)]),
      "x: The schema has the value true beside others.",
    ],
    ["true alone", z.literal(true), "x: The schema allows only one of true and false."],
    [
      "a transformation",
      z.enum(["a", "b"]).transform((key) => key.length),
      "x: The schema cannot be written as JSON Schema.",
    ],
    ["anything", z.unknown(), "x: The schema is of no single type"],
  ])("refuses %s", (_, schema, message) => {
    expect(() => questionFromSchema(schema, "x")).toThrow(invalid(message));
  });

  it("refuses a single literal as too few options", () => {
    expect(() => questionFromSchema(z.literal("a"), "x")).toThrow(
      expect.objectContaining({ code: "invalid_options", message: expect.stringContaining("x: A choice takes 2") }),
    );
  });

  it("says which library offers no JSON Schema", () => {
    const plain = { "~standard": { version: 1, vendor: "plain", validate: (value: unknown) => ({ value }) } } as const;
    // @ts-expect-error no jsonSchema
    const schema: Schema = plain;
    expect(() => questionFromSchema(schema, "x")).toThrow(
      invalid('x: The schema library "plain" offers no JSON Schema.'),
    );
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["a circle of references", { $ref: "#" }, "refers to itself"],
    ["a reference to nothing", { $ref: "#/$defs/None" }, "#/$defs/None leads nowhere"],
    ["a reference elsewhere", { $ref: "https://example.org/schema" }, "leads nowhere"],
    ["values that are not a list", { enum: "ab" }, "malformed"],
  ])("refuses %s", (_, json, message) => {
    expect(() => questionFromSchema(schemaOf(json), "x")).toThrow(invalid(message));
  });

  it.each<[string, Record<string, unknown>]>([
    [
      "a reference with escapes",
      { $ref: "#/$defs/a~1b", $defs: { "a/b": { enum: ["a", "b"], description: "Which?" } } },
    ],
    [
      "a reference in allOf",
      { allOf: [{ $ref: "#/$defs/T" }], description: "Which?", $defs: { T: { enum: ["a", "b"] } } },
    ],
    ["oneOf", { oneOf: [{ const: "a" }, { const: "b" }], description: "Which?" }],
    ["unions in unions", { anyOf: [{ const: "a" }, { anyOf: [{ enum: ["b"] }] }], description: "Which?" }],
  ])("understands %s", (_, json) => {
    expect(facts(questionFromSchema(schemaOf(json), "x"))).toEqual(facts(choice("Which?", ["a", "b"])));
  });
});

describe("questionsFromSchema", () => {
  it("makes a question of each property", () => {
    const schema = z.object({
      team: z.enum(["billing", "technical"]).describe("Which team?"),
      angry: z.boolean().describe("Angry?").optional(),
      shared: z.enum(["a", "b"]).meta({ id: "Shared", description: "Which one?" }),
    });
    expect(questionsFromSchema(schema).map(({ id, question }) => [id, question.type, question.instructions])).toEqual([
      ["team", "choice", "Which team?"],
      ["angry", "noul", "Angry?"],
      ["shared", "choice", "Which one?"],
    ]);
    expectTypeOf<SchemaAnswers<typeof schema>>().toEqualTypeOf<{
      readonly team: ChoiceAnswer<"billing" | "technical">;
      readonly angry: NoulAnswer;
      readonly shared: ChoiceAnswer<"a" | "b">;
    }>();
  });

  it("takes an object of arktype", () => {
    const schema = type({ team: "'billing'|'technical'", "angry?": "boolean" });
    expect(new Set(questionsFromSchema(schema).map(({ id }) => id))).toEqual(new Set(["team", "angry"]));
    expectTypeOf<SchemaAnswers<typeof schema>>().toEqualTypeOf<{
      readonly team: ChoiceAnswer<"billing" | "technical">;
      readonly angry: NoulAnswer;
    }>();
  });

  it.each<[Schema, string]>([
    [z.enum(["a", "b"]), "not an object schema"],
    [z.object({}), "no properties"],
    [z.object({ a: z.object({ b: z.boolean() }) }), "a: The schema is of type object"],
  ])("refuses what is not an object of questions", (schema, message) => {
    expect(() => questionsFromSchema(schema)).toThrow(invalid(message));
  });
});

describe("SchemaAnswer", () => {
  it("has the literals of the schema", () => {
    expectTypeOf<SchemaAnswer<z.ZodBoolean>>().toEqualTypeOf<NoulAnswer>();
    expectTypeOf<SchemaAnswer<z.ZodEnum<{ a: "a"; b: "b" }>>>().toEqualTypeOf<ChoiceAnswer<"a" | "b">>();
    expectTypeOf<SchemaAnswer<z.ZodLiteral<1 | 2>>>().toEqualTypeOf<ChoiceAnswer<"1" | "2">>();
    expectTypeOf<SchemaAnswer<z.ZodNumber>>().toEqualTypeOf<ChoiceAnswer<`${number}`>>();
    expectTypeOf<SchemaAnswer<z.ZodArray<z.ZodBoolean>>>().toEqualTypeOf<never>();
  });
});

/** A schema of no particular library that stands for the given JSON Schema. */
function schemaOf(json: Record<string, unknown>): Schema {
  return { "~standard": { version: 1, vendor: "test", jsonSchema: { input: () => json, output: () => json } } };
}
