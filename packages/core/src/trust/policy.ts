import { z } from "zod";
import { OptioError } from "../errors.js";
import type { Action } from "../questions/question.js";

/** From which confidence on an answer may be used. 0 <= review <= accept <= 1. */
export interface Policy {
  /** Confidence from which an answer is accepted, 0 to 1. */
  readonly accept: number;
  /** Confidence from which an answer that is not accepted is worth a review, 0 to 1; below it, escalate. */
  readonly review: number;
}

/** A policy for all questions, and others for some of them. */
export interface DecisionPolicy extends Policy {
  /** By question id; ids that a decision does not have are ignored, so that a decider can serve several. */
  readonly questions?: Readonly<Record<string, Policy>>;
}

const bound = z
  .number({ error: "must be a number from 0 to 1" })
  .min(0, "must be at least 0")
  .max(1, "must be at most 1");
const bounds = { accept: bound, review: bound };
const ordered = ({ accept, review }: Policy) => review <= accept;
const unordered = { error: "must not be more than accept", path: ["review"] };

const shape = {
  error: (issue: z.core.$ZodRawIssue) =>
    issue.code === "unrecognized_keys"
      ? `has the unknown field "${issue.keys[0]}"`
      : "must be an object with accept and review",
};

const policySchema = z.strictObject(bounds, shape).refine(ordered, unordered);
const decisionPolicySchema = z
  .strictObject({ ...bounds, questions: z.record(z.string(), policySchema).optional() }, shape)
  .refine(ordered, unordered);

/** @throws OptioError `invalid_setting` that names the field. */
export function checkPolicy(policy: DecisionPolicy): void {
  const parsed = decisionPolicySchema.safeParse(policy);
  if (parsed.success) return;
  const [issue] = parsed.error.issues;
  const field = ["policy", ...(issue?.path ?? [])].map(String).join(".");
  throw new OptioError("invalid_setting", `${field} ${issue?.message}.`, {
    hint: "Pass { accept, review } with 0 <= review <= accept <= 1, for example { accept: 0.9, review: 0.6 }.",
    details: { field },
  });
}

/** The policy of one question. */
export function policyFor(policy: DecisionPolicy, questionId: string): Policy {
  const { questions = {} } = policy;
  return Object.hasOwn(questions, questionId) ? (questions[questionId] ?? policy) : policy;
}

/** What a policy says to do with an answer of this confidence; each bound belongs to the better action. */
export function actionFor(confidence: number, { accept, review }: Policy): Action {
  if (confidence >= accept) return "accept";
  return confidence >= review ? "review" : "escalate";
}
