import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { actionFor, checkPolicy, type DecisionPolicy, policyFor } from "./policy.js";

describe("actionFor", () => {
  it.each([
    [1, "accept"],
    [0.9, "accept"],
    [0.89, "review"],
    [0.6, "review"],
    [0.59, "escalate"],
    [0, "escalate"],
  ])("of a confidence of %d is %s", (confidence, action) => {
    expect(actionFor(confidence, { accept: 0.9, review: 0.6 })).toBe(action);
  });

  it("never reviews where both bounds are the same", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (value, both) => {
          expect(actionFor(value, { accept: both, review: both })).toBe(value >= both ? "accept" : "escalate");
        },
      ),
    );
  });
});

describe("checkPolicy", () => {
  it.each<[DecisionPolicy]>([
    [{ accept: 0, review: 0 }],
    [{ accept: 1, review: 1 }],
    [{ accept: 0.9, review: 0.6, questions: { team: { accept: 0.5, review: 0 } } }],
  ])("takes %j", (policy) => {
    expect(() => checkPolicy(policy)).not.toThrow();
  });

  it.each<[unknown, string]>([
    [{ accept: 0.5, review: 0.6 }, "policy.review must not be more than accept."],
    [{ accept: 1.1, review: 0.6 }, "policy.accept must be at most 1."],
    [{ accept: 0.9, review: -0.1 }, "policy.review must be at least 0."],
    [{ accept: Number.NaN, review: 0 }, "policy.accept must be a number from 0 to 1."],
    [{ accept: 0.9 }, "policy.review must be a number"],
    [
      { accept: 0.9, review: 0.6, questions: { team: { accept: 0.1, review: 0.2 } } },
      "policy.questions.team.review must",
    ],
    [{ accept: 0.9, review: 0.6, reveiw: 0.1 }, 'policy has the unknown field "reveiw".'],
    [null, "policy must be an object with accept and review."],
  ])("refuses %j", (policy, message) => {
    expect(() => checkPolicy(policy as DecisionPolicy)).toThrow(
      expect.objectContaining({ code: "invalid_setting", message: expect.stringContaining(message) }),
    );
  });
});

describe("policyFor", () => {
  const policy = { accept: 0.9, review: 0.6, questions: { team: { accept: 0.5, review: 0 } } };

  it("prefers the question's own policy", () => {
    expect(policyFor(policy, "team").accept).toBe(0.5);
    expect(policyFor(policy, "angry").accept).toBe(0.9);
  });

  it("does not take a name that every object has for a question", () => {
    expect(policyFor(policy, "constructor").accept).toBe(0.9);
  });
});
