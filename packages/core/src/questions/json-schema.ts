import { z } from "zod";
import { OptioError } from "../errors.js";

/** What optio needs to know of a JSON Schema. */
export interface JsonSchema {
  readonly description?: string;
  /** The values allowed, in order, when they are a fixed set. */
  readonly literals?: readonly Literal[];
  /** The properties of an object. */
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  /** A few words for messages. */
  readonly summary: string;
}

export interface Literal {
  readonly value: unknown;
  readonly description?: string;
}

/** Schemas that may stand inside each other; references count, so that a circle ends. */
const maxDepth = 16;

const schemaNode = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  allOf: z.array(z.unknown()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  $ref: z.string().optional(),
});

/**
 * Reads JSON Schema (draft 2020-12) as far as fixed sets of values and objects of those go.
 *
 * @throws OptioError `invalid_schema`
 */
export function parseJsonSchema(root: unknown): JsonSchema {
  return parseNode(root, { root, depth: 0 });
}

interface Place {
  readonly root: unknown;
  readonly depth: number;
}

function parseNode(value: unknown, place: Place): JsonSchema {
  if (place.depth > maxDepth) throw new OptioError("invalid_schema", "The schema refers to itself.");
  const parsed = schemaNode.safeParse(value);
  if (!parsed.success) {
    throw new OptioError("invalid_schema", `The JSON Schema is malformed: ${z.prettifyError(parsed.error)}`);
  }
  const node = parsed.data;
  const inner = { ...place, depth: place.depth + 1 };

  const whole = node.$ref === undefined ? onlyMember(node.allOf) : resolve(node.$ref, place);
  const referred = whole === undefined ? undefined : parseNode(whole, inner);
  const blank = (text: string | undefined) => text === undefined || text.trim() === "";
  const description = blank(node.description) ? referred?.description : node.description;
  const described = description === undefined ? {} : { description };
  if (referred !== undefined) return { ...referred, ...described };

  const members = node.anyOf ?? node.oneOf;
  if (members !== undefined) return { ...described, ...union(members.map((member) => parseNode(member, inner))) };
  const values =
    "const" in node ? [node["const"]] : (node.enum ?? (node.type === "boolean" ? [true, false] : undefined));
  if (values !== undefined)
    return {
      ...described,
      literals: values.map((each) => ({ value: each, ...described })),
      summary: "a set of values",
    };
  const summary = typeof node.type === "string" ? `of type ${node.type}` : "of no single type";
  if (node.properties === undefined) return { ...described, summary };
  const properties = Object.entries(node.properties).map(
    ([key, property]) => [key, parseNode(property, inner)] as const,
  );
  return { ...described, properties: Object.fromEntries(properties), summary };
}

function union(members: readonly JsonSchema[]): JsonSchema {
  const open = members.find(({ literals }) => literals === undefined);
  if (open !== undefined) return { summary: `a union with a member that is ${open.summary}` };
  return { literals: members.flatMap(({ literals = [] }) => literals), summary: "a set of values" };
}

function onlyMember(members: readonly unknown[] | undefined): unknown {
  return members?.length === 1 ? members[0] : undefined;
}

/** What a reference within the same schema, such as `#/$defs/Team`, points to (RFC 6901). */
function resolve(reference: string, { root }: Place): unknown {
  let found = root;
  for (const step of reference.replace(/^#\/?/u, "").split("/")) {
    if (step === "") continue;
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    const inside = z.record(z.string(), z.unknown()).safeParse(found);
    found = inside.success && reference.startsWith("#") ? inside.data[key] : undefined;
    if (found === undefined) throw new OptioError("invalid_schema", `The reference ${reference} leads nowhere.`);
  }
  return found;
}
