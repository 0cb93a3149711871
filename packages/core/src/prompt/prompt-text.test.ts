import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { byteScorer, textOf } from "../../test/byte-scorer.js";
import { catalogue, profiles } from "../generated/models.js";
import { choice } from "../questions/choice.js";
import { noul } from "../questions/noul.js";
import type { Question } from "../questions/question.js";
import { score } from "../questions/score.js";
import { labelSource } from "./labels.js";
import { planPasses } from "./plan.js";
import { preparePromptFrame } from "./prompt-frame.js";

/** The whole text that a model sees, written down: any change of it must be a new version of the profile. */
const { signal } = new AbortController();
const models = catalogue.filter(({ template }) => template !== undefined).map(({ id }) => id);
const stateText = "I was charged twice, and nobody answers!";
const questions: readonly Question[] = [
  choice("Which team should handle this?", {
    billing: "Invoices and refunds",
    technical: "Bugs and outages",
    other: null,
  }),
  noul("Is the customer angry?", { true: "Reproach, threats or insults" }),
  score("How urgent is it?", ["can wait", "this week", "now"]),
];

async function promptText(model: string, profile: (typeof profiles)[number], kind: "letter" | "sequence") {
  const template = readFileSync(new URL(`../../test/templates/${model}.jinja`, import.meta.url), "utf8");
  const scorer = byteScorer(template);
  const frame = await preparePromptFrame(scorer, profile.system, signal);
  const context = { scorer, profile, frame, labels: labelSource(scorer, frame) };
  const readout = { kind, orders: 1, prior: false, length: "total" } as const;
  const texts = questions.map(async (question) => {
    const order = question.options.map((_, index) => index);
    const spec = { question, stateText, state: "actual" as const, order };
    const { plan } = await planPasses(context, readout, [spec], signal);
    // The first node that is read ends where the answer begins.
    const first = plan.nodes.findIndex(({ reads }) => reads.length > 0);
    const nodes = plan.nodes.slice(0, first + 1);
    return nodes.map(({ tokens }) => textOf(tokens)).join("");
  });
  return (await Promise.all(texts)).join("\n=====\n");
}

const cases = profiles.flatMap((profile) =>
  models.flatMap((model) => (["letter", "sequence"] as const).map((kind) => ({ profile, model, kind }))),
);

describe("prompts", () => {
  it.each(cases)("of $profile.id, $kind, on $model are as written down", async ({ profile, model, kind }) => {
    const file = `../../test/prompts/${profile.id}.v${profile.version}.${kind}.txt`;
    await expect(await promptText(model, profile, kind)).toMatchFileSnapshot(file);
  });
});
