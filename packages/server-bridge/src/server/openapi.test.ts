import { fake } from "@optio/core/testing";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "./config.js";
import { type RunningServer, startServer } from "./serve.js";

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

let server: RunningServer;
let document: Document;
const ajv = new Ajv2020({ strict: false });
beforeAll(async () => {
  const config = readConfig({ flags: { port: 0, maxBodyBytes: 20_000 }, env: {}, modelFolder: "/nowhere" });
  const log = pino({ level: "silent" });
  server = await startServer(config, { engine: fake({ reply: "Hello there." }), log });
  await server.ready;
  document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document;
  // The references of the document are those of this one schema.
  ajv.addSchema({ $id: "openapi", components: document.components });
});
afterAll(() => server?.close());

const send = (path: string, method: string, body?: string, type = "application/json") =>
  fetch(`${server.url}${path}`, {
    method: method.toUpperCase(),
    ...(body === undefined ? {} : { body, headers: { "content-type": type } }),
  });

/** Status, type and body must be as the document has them; a failure of the server never is. */
async function conforms(path: string, method: string, response: Response, sent = ""): Promise<void> {
  const said = `${method} ${path} ${sent.slice(0, 300)}: ${response.status}`;
  const text = await response.text();
  expect(response.status, `${said} ${text.slice(0, 300)}`).not.toBe(500);
  const documented = document.paths[path]?.[method]?.responses[String(response.status)];
  expect(documented, said).toBeDefined();
  if (documented?.content === undefined) return;
  const type = response.headers.get("content-type")?.split(";")[0] ?? "";
  expect(Object.keys(documented.content), said).toContain(type);
  const { schema = {} } = documented.content[type] ?? {};
  if (type !== "application/json") return;
  const resolved = JSON.parse(JSON.stringify(schema).replaceAll("#/components", "openapi#/components"));
  const valid = ajv.validate(resolved, JSON.parse(text));
  expect(valid, `${said} ${ajv.errorsText()} in ${text.slice(0, 500)}`).toBe(true);
}

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

/** The value with one of its parts replaced by something else, or left out. */
function mutations(value: unknown): fc.Arbitrary<unknown> {
  const others = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(null, "", [], {}, -1, 1e308, "\u0000", "__proto__", "x".repeat(300), [[[[[]]]]]),
  );
  if (typeof value !== "object" || value === null) return others;
  const keys = Object.keys(value);
  if (keys.length === 0) return others;
  return fc.oneof(
    { weight: 1, arbitrary: others },
    {
      weight: 5,
      arbitrary: fc.constantFrom(...keys).chain((key) => {
        const inner = (value as Record<string, unknown>)[key];
        const copy = (part: unknown) =>
          Array.isArray(value) ? Object.assign([...value], { [key]: part }) : { ...value, [key]: part };
        return mutations(inner).map(copy);
      }),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(...keys)
        .map((gone) => Object.fromEntries(Object.entries(value).filter(([key]) => key !== gone))),
    },
  );
}

describe("openapi.json", () => {
  it("is what the server does, for its examples and for those who only look", async () => {
    expect(document.openapi).toBe("3.1.0");
    for (const { path, method, operation } of operations()) {
      const example = operation.requestBody?.content["application/json"]?.example;
      const response = await send(path, method, example === undefined ? undefined : JSON.stringify(example));
      expect(response.status, `${method} ${path}`).toBe(200);
      await conforms(path, method, response);
    }
  });

  it("has schemas that say what its examples are, and are no schema of everything", async () => {
    for (const name of Object.keys(document.components.schemas)) {
      const validate = ajv.getSchema(`openapi#/components/schemas/${name}`);
      expect(validate, name).toBeDefined();
      expect(validate?.(5), name).toBe(false);
    }
    for (const { operation } of operations()) {
      const content = operation.requestBody?.content["application/json"] as
        | { schema: object; example: unknown }
        | undefined;
      if (content === undefined) continue;
      const resolved = JSON.parse(JSON.stringify(content.schema).replaceAll("#/components", "openapi#/components"));
      expect(ajv.validate(resolved, content.example), ajv.errorsText()).toBe(true);
    }
  });

  it("holds for whatever is sent", { timeout: 60_000 }, async () => {
    const posts = operations().filter(({ operation }) => operation.requestBody !== undefined);
    for (const { path, method, operation } of posts) {
      const example = operation.requestBody?.content["application/json"]?.example;
      await fc.assert(
        fc.asyncProperty(mutations(example), async (body) => {
          const sent = JSON.stringify(body);
          await conforms(path, method, await send(path, method, sent), sent);
        }),
        { numRuns: 300 },
      );
    }
  });

  it.each([
    ["no JSON", "{"],
    ["nothing", ""],
    ["too much", JSON.stringify({ state: "x".repeat(30_000) })],
    ["too deep", `${"[".repeat(5_000)}${"]".repeat(5_000)}`],
    ["a key twice", '{"state":"a","state":"b"}'],
    ["half a character", '{"state":"\\ud800","questions":{"a":{"type":"noul"}}}'],
  ])("holds for %s", async (_, body) => {
    for (const path of ["/v1/systemone", "/v1/chat/completions", "/invocations"]) {
      await conforms(path, "post", await send(path, "post", body), body);
      await conforms(path, "post", await send(path, "post", body, "text/plain"), body);
    }
  });
});

describe("/", () => {
  it("is a page without scripts that says what runs", async () => {
    const response = await fetch(server.url);
    const page = await response.text();
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(page).toContain("<dd>ready</dd>");
    expect(page).toContain("<dd>fake hash</dd>");
    expect(page).toContain("POST /v1/systemone");
    expect(page).not.toContain("<script");
  });
});
