import { z } from "zod";

const rowBase = {
  /** Line of the data file, from 1. */
  line: z.number().int().positive(),
  id: z.string().optional(),
};

const answeredRow = z.object({
  ...rowBase,
  id: z.string(),
  family: z.string(),
  type: z.enum(["choice", "noul", "score"]),
  expected: z.string(),
  answer: z.string(),
  correct: z.boolean(),
  /** In the author's order. */
  distribution: z.array(z.object({ option: z.string(), probability: z.number() })),
  confidence: z.number(),
  action: z.enum(["accept", "review", "escalate"]).optional(),
  labelMass: z.number().optional(),
  /** Milliseconds of the decision, without loading the model. */
  ms: z.number(),
  inputTokens: z.number(),
  reusedTokens: z.number(),
  warnings: z.array(z.string()).optional(),
});

const failedRow = z.object({
  ...rowBase,
  /** Absent for a row of the data that cannot be asked at all: such rows do not count as wrong answers. */
  family: z.string().optional(),
  expected: z.string().optional(),
  error: z.object({
    code: z.string(),
    message: z.string(),
    hint: z.string(),
    details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    cause: z.string().optional(),
  }),
});

/** One line of a results file. */
export const rowResultSchema = z.union([answeredRow, failedRow]);

export type AnsweredRow = z.infer<typeof answeredRow>;
export type FailedRow = z.infer<typeof failedRow>;
export type RowResult = AnsweredRow | FailedRow;

export function isAnswered(row: RowResult): row is AnsweredRow {
  return "answer" in row;
}
