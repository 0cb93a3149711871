import { optioVersion } from "@optio/core";
import { list, object, ref, type Schema, schemas, text } from "./openapi-schemas.js";

const json = (schema: Schema, more: Schema = {}) => ({ "application/json": { schema, ...more } });

const refusals: Readonly<Record<number, string>> = {
  400: "No JSON, an unknown model, a text that is too long, something that is not supported",
  401: "No valid key",
  403: "A page of an origin that is not allowed",
  413: "A body that is too long",
  415: "A body that is not declared as JSON",
  422: "A state or a question that is not valid",
  429: "The queue is full",
  500: "A defect of the server or the model",
  501: "The engine cannot do this",
  503: "The engine cannot be asked now",
  504: "It took too long",
};
const problems = Object.fromEntries(
  Object.entries(refusals).map(([status, description]) => [status, { description, content: json(ref("Problem")) }]),
);

const post = (summary: string, request: string, answer: string, example: unknown, more: Schema = {}) => ({
  post: {
    summary,
    requestBody: { required: true, content: json(ref(request), { example }) },
    responses: { 200: { description: "Answered", content: { ...json(ref(answer)), ...more } }, ...problems },
    security: [{ key: [] }, {}],
  },
});
const get = (summary: string, responses: Schema) => ({ get: { summary, responses } });

const decisionExample = {
  state: "I was charged twice.",
  questions: {
    team: { type: "choice", instructions: "Which team?", criteria: { billing: "Invoices", technical: "Bugs" } },
    angry: { type: "noul", instructions: "Is the customer angry?" },
  },
};
const stream = { "text/event-stream": { schema: { type: "string" } } };

/** The server's interface as OpenAPI 3.1, made by hand: a test holds it against what the server does. */
export const openApiDocument = {
  openapi: "3.1.0",
  info: {
    title: "optio serve",
    version: optioVersion,
    description: "Typed decisions from a small language model: the probability of each declared option.",
    license: { name: "MIT", identifier: "MIT" },
  },
  paths: {
    "/v1/systemone": post("Decide", "Decision", "Decided", decisionExample),
    "/v1/chat/completions": post(
      "Go on with a conversation",
      "Chat",
      "Completion",
      { messages: [{ role: "user", content: "Hello" }] },
      stream,
    ),
    "/invocations": post(
      "Amazon SageMaker: the body's shape tells what is asked",
      "Invocation",
      "Invoked",
      decisionExample,
      {
        ...stream,
        "application/jsonlines": { schema: { type: "string" } },
      },
    ),
    "/v1/models": {
      get: {
        summary: "The model",
        responses: {
          200: {
            description: "In the shapes of System One and of chat",
            content: json(
              object({ models: list({ type: "object" }), data: list({ type: "object" }) }, ["models", "data"]),
            ),
          },
          401: problems[401],
          403: problems[403],
          503: problems[503],
        },
        security: [{ key: [] }, {}],
      },
    },
    "/ping": get("Amazon SageMaker: whether it can answer", {
      200: { description: "It has decided once" },
      503: { description: "Not yet" },
    }),
    "/healthz": get("Whether the process lives", {
      200: { description: "It does", content: json(object({ status: text, version: text }, ["status"])) },
    }),
    "/readyz": get("Whether it can answer", {
      200: {
        description: "It has decided once",
        content: json(object({ status: text, models: list(text) }, ["status"])),
      },
      503: { description: "Not yet", content: json(object({ status: text }, ["status"])) },
    }),
    "/metrics": get("Counts for Prometheus", {
      200: { description: "In its text format", content: { "text/plain": { schema: text } } },
    }),
    "/openapi.json": get("This document", { 200: { description: "OpenAPI 3.1", content: json({ type: "object" }) } }),
    "/": get("What runs here, for people", {
      200: { description: "A page", content: { "text/html": { schema: text } } },
    }),
  },
  components: { schemas, securitySchemes: { key: { type: "http", scheme: "bearer" } } },
} as const;
