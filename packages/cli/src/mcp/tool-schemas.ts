import { z } from "zod";

/**
 * A field that clients are told to fill as `schema` says, and that is taken as it comes: what is wrong with it is core's to say,
 * with a code and a hint.
 */
function published(schema: z.ZodType, description: string) {
  const { $schema, ...json } = z.toJSONSchema(schema, { target: "draft-7", io: "input" });
  return z
    .unknown()
    .meta({ ...json, description })
    .optional();
}

/** Arguments of which clients are told that they are required. */
function required<S extends z.ZodRawShape>(fields: S, ...names: readonly (keyof S & string)[]) {
  return z.object(fields).meta({ required: names });
}

const instructions = z.string().describe("The question itself.");
const meaning = z.string().nullable();
const question = z.union([
  z.object({
    type: z.literal("choice"),
    instructions,
    criteria: z
      .union([z.record(z.string(), meaning), z.array(z.array(meaning).length(2))])
      .describe(
        "2 to 255 options: an object of name and meaning (or null), or [name, meaning] pairs, which keep the order of names such as 2.",
      ),
  }),
  z.object({
    type: z.literal("noul"),
    instructions,
    criteria: z.object({ true: z.string(), false: z.string() }).partial().optional().describe("What yes and no mean."),
  }),
  z.object({
    type: z.literal("score"),
    instructions,
    criteria: z.array(z.string()).describe("2 to 10 levels, lowest first."),
  }),
]);

const state = z.union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())]);
const share = z.number().min(0).max(1);

const asked = {
  questions: published(
    z.record(z.string(), question),
    "Questions by id: choice (one of named options), noul (yes or no), score (ordered levels).",
  ),
  accept: published(share, "Confidence from which an answer has the action accept, 0 to 1."),
  review: published(
    share,
    "Confidence from which an answer that is not accepted has the action review, at most accept; below it, escalate. Default: as accept.",
  ),
};

export const decideInput = required(
  {
    state: published(state, "What to decide about: text, JSON, or a list of { role, content } messages."),
    ...asked,
  },
  "state",
  "questions",
);

export const decideManyInput = required(
  { states: published(z.array(state), "What to decide about, each by itself, under the same questions."), ...asked },
  "states",
  "questions",
);

const probability = z.number().min(0).max(1);

const answer = z.looseObject({
  type: z.enum(["choice", "noul", "score"]),
  choice: z.string().optional().describe("choice: the most probable option."),
  noul: probability.optional().describe("noul: probability of yes."),
  value: z.boolean().optional().describe("noul: whether yes is at least as probable as no."),
  score: z.number().optional().describe("score: expected level, from 0."),
  level: z.number().optional().describe("score: the most probable level, from 0."),
  probabilities: z.record(z.string(), probability).describe("Of each option; they sum to 1."),
  confidence: probability,
  action: z.enum(["accept", "review", "escalate"]).optional().describe("What the thresholds say to do."),
});

const receipt = z
  .looseObject({
    optioVersion: z.string(),
    engine: z.looseObject({ kind: z.string(), backend: z.string() }),
    model: z.looseObject({ id: z.string(), sha256: z.string().nullable() }),
  })
  .describe("What makes the decision repeatable.");

const usage = z.looseObject({ inputTokens: z.number(), evaluatedTokens: z.number(), reusedTokens: z.number() });
const timings = z.looseObject({ queueMs: z.number(), totalMs: z.number() });

export const decideOutput = z.looseObject({
  answers: z.record(z.string(), answer).describe("By question id."),
  warnings: z.array(z.string()),
  usage,
  timings,
  receipt,
});

const failure = z.looseObject({ code: z.string(), message: z.string(), hint: z.string() });

export const decideManyOutput = z.looseObject({
  results: z
    .array(
      z.looseObject({
        status: z.enum(["fulfilled", "rejected"]),
        value: decideOutput.optional().describe("The decision of a state that was answered."),
        error: failure.optional().describe("Why a state was not answered."),
      }),
    )
    .describe("One a state, in the order of the states."),
  usage,
  timings,
});

export const listModelsOutput = z.looseObject({
  engine: z.looseObject({ kind: z.string(), model: z.string().nullable() }).describe("What this server decides with."),
  models: z.array(
    z.looseObject({
      id: z.string(),
      title: z.string(),
      bytes: z.number(),
      licence: z.string().nullable(),
      sha256: z.string(),
      state: z.enum(["stored", "partial", "absent"]),
    }),
  ),
});
