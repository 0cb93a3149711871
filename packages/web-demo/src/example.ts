import type { QuestionDraft } from "./question-draft.js";

/** What the page opens with. */
export const exampleState = `Subject: Charged twice in October

Hello, my card was charged twice on 3 October, 49 EUR each time. I wrote to you on Monday and nobody answered. If the second charge is not refunded by Friday, I will cancel my plan and dispute it with my bank.

Dana`;

export const exampleQuestions: readonly QuestionDraft[] = [
  {
    key: 1,
    name: "team",
    type: "choice",
    instructions: "Which team should handle this ticket?",
    options:
      "billing: charges, invoices, refunds\ntechnical: errors, outages, bugs\naccount: sign-in, profile, permissions\nsales: plans, quotes, upgrades",
  },
  {
    key: 2,
    name: "leaving",
    type: "noul",
    instructions: "Does the customer threaten to leave?",
    options: "yes: says that they will cancel or go elsewhere\nno: no such threat",
  },
  {
    key: 3,
    name: "urgency",
    type: "score",
    instructions: "How urgent is this ticket?",
    options: "can wait a week\nwithin a few days\ntoday\nright now",
  },
];

/** A new, empty question. */
export function blankQuestion(key: number): QuestionDraft {
  return { key, name: `question${key}`, type: "choice", instructions: "", options: "" };
}
