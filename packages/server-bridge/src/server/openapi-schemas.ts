/** A JSON Schema of 2020-12, as OpenAPI 3.1 has it. */
export type Schema = Readonly<Record<string, unknown>>;

export const object = (
  properties: Record<string, Schema>,
  required: readonly string[] = [],
  more: Schema = {},
): Schema => ({
  type: "object",
  properties,
  ...(required.length === 0 ? {} : { required }),
  ...more,
});
export const list = (items: Schema, more: Schema = {}): Schema => ({ type: "array", items, ...more });
export const text: Schema = { type: "string" };
const filled: Schema = { type: "string", minLength: 1 };
const count: Schema = { type: "integer", minimum: 0 };
const probability: Schema = { type: "number", minimum: 0, maximum: 1 };
const flag: Schema = { type: "boolean" };
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** Text, or what a model is shown as JSON. */
const wireText: Schema = { type: ["string", "object", "array", "null"] };

/** What goes in and comes out, by name. */
export const schemas: Readonly<Record<string, Schema>> = {
  State: {
    description: "What a decision is about: text, JSON, or a list of messages.",
    type: ["string", "object", "array"],
  },
  Question: {
    oneOf: [
      object(
        {
          type: { const: "choice" },
          instructions: wireText,
          criteria: {
            type: ["object", "array"],
            description: "Label and what it means, 2 to 255, in the order of the text; or pairs of them.",
          },
        },
        ["type", "criteria"],
      ),
      object(
        {
          type: { const: "noul" },
          instructions: wireText,
          criteria: { type: ["object", "null"], description: "What true and false mean; both may be left out." },
        },
        ["type"],
      ),
      object(
        {
          type: { const: "score" },
          instructions: wireText,
          criteria: list(wireText, { minItems: 2, maxItems: 10, description: "Levels, lowest first." }),
        },
        ["type", "criteria"],
      ),
    ],
  },
  Decision: object(
    {
      state: ref("State"),
      model: { type: ["string", "null"] },
      questions: object({}, [], { minProperties: 1, additionalProperties: ref("Question") }),
    },
    ["state", "questions"],
  ),
  Answer: object(
    {
      type: { enum: ["choice", "noul", "score"] },
      choice: text,
      noul: probability,
      score: { type: "number", minimum: 0 },
      legend: object({}, [], { additionalProperties: text }),
      probabilities: object({}, [], { additionalProperties: probability }),
      confidence: probability,
      optio: object({
        confidence: probability,
        confidence_formula: text,
        action: { enum: ["accept", "review", "escalate"] },
        label_mass: probability,
        level: count,
      }),
    },
    ["type"],
  ),
  Decided: object(
    {
      model: text,
      answers: object({}, [], { additionalProperties: ref("Answer") }),
      usage: object({ input_tokens: count, output_tokens: count }, ["input_tokens", "output_tokens"]),
      optio: object({
        request_id: text,
        timings: { type: "object" },
        usage: { type: "object" },
        warnings: list(text),
        receipt: { type: "object" },
      }),
    },
    ["model", "answers", "usage"],
  ),
  Message: object(
    {
      role: { enum: ["system", "developer", "user", "assistant"] },
      content: { anyOf: [text, list(object({ type: { const: "text" }, text }, ["type", "text"]))] },
    },
    ["role", "content"],
  ),
  Chat: object(
    {
      model: { type: ["string", "null"] },
      messages: list(ref("Message"), { minItems: 1 }),
      max_tokens: { type: "integer", minimum: 1 },
      temperature: { type: "number", minimum: 0, maximum: 5 },
      top_p: probability,
      top_k: { type: "integer", minimum: 0, maximum: 1_000 },
      min_p: probability,
      seed: { type: "number" },
      stop: { anyOf: [text, list(text, { maxItems: 16 })] },
      stream: flag,
      stream_options: object({ include_usage: flag }),
      logprobs: flag,
      top_logprobs: { type: "integer", minimum: 0, maximum: 1_000 },
      logit_bias: object({}, [], { additionalProperties: { type: "number", minimum: -1_000, maximum: 1_000 } }),
    },
    ["messages"],
  ),
  Completion: object(
    {
      id: text,
      object: { const: "chat.completion" },
      created: count,
      model: text,
      system_fingerprint: text,
      choices: list(
        object(
          {
            index: count,
            message: object({ role: { const: "assistant" }, content: text }, ["role", "content"]),
            logprobs: { type: ["object", "null"] },
            finish_reason: { enum: ["stop", "length"] },
          },
          ["index", "message", "finish_reason"],
        ),
        { minItems: 1, maxItems: 1 },
      ),
      usage: object({ prompt_tokens: count, completion_tokens: count, total_tokens: count }, [
        "prompt_tokens",
        "completion_tokens",
        "total_tokens",
      ]),
    },
    ["id", "object", "created", "model", "choices", "usage"],
  ),
  SemifDecision: object(
    {
      id: filled,
      state: ref("State"),
      question: filled,
      options: list(object({ id: filled, description: text }, ["id", "description"]), { minItems: 2, maxItems: 16 }),
    },
    ["id", "state", "question", "options"],
  ),
  SemifResult: object({ id: text, option_ids: list(text), probabilities: list(probability) }, [
    "id",
    "option_ids",
    "probabilities",
  ]),
  Invocation: {
    anyOf: [
      ref("Decision"),
      object({ decision: ref("SemifDecision") }, ["decision"]),
      object({ decisions: list(ref("SemifDecision"), { minItems: 1, maxItems: 8 }) }, ["decisions"]),
      ref("Chat"),
    ],
  },
  Invoked: {
    anyOf: [
      ref("Decided"),
      object({ result: ref("SemifResult") }, ["result"]),
      object({ results: list(ref("SemifResult")) }, ["results"]),
      ref("Completion"),
    ],
  },
  Problem: object(
    {
      error: object({ type: text, message: text, param: text }, ["type", "message"]),
      detail: list(object({ type: text, loc: list(text), msg: text }, ["type", "loc", "msg"])),
      optio: object({ code: text, request_id: text, hint: text }, ["code", "request_id"]),
    },
    ["optio"],
    { anyOf: [{ required: ["error"] }, { required: ["detail"] }] },
  ),
};
