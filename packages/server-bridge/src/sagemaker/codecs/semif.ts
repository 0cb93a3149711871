import { OptioError } from "@optio/core";
import type { NamedQuestion, RawAnswer } from "@optio/core/engines";
import { stateJson, withoutEffect } from "@optio/core/wire";
import { z } from "zod";
import { readJsonText } from "./answer-text.js";
import { type Codec, noTimings, ownPass } from "./codec.js";

/** Limits of AWS's sample container; a container of ours takes more, but whoever deploys the sample must be able to rely on them. */
const limits = { options: 16, decisionsTogether: 8, bodyBytes: 262_144 } as const;

/**
 * `{decision}` or `{decisions}`: the container of AWS's sample "Deploy decision models with llama.cpp on Amazon SageMaker AI",
 * and ours. Several questions about one state go together, eight at a time; each is a choice between texts.
 */
export const semifCodec: Codec = {
  maxBodyBytes: limits.bodyBytes,
  async decide(request, _info, send) {
    const { questions } = request;
    for (const { id, question } of questions) {
      if (question.options.length <= limits.options) continue;
      throw new OptioError(
        "too_many_options",
        `"${id}" has ${question.options.length} options, more than the ${limits.options} of this endpoint.`,
        { hint: "Use fewer options, or an engine without this limit.", details: { options: question.options.length } },
      );
    }
    const state = stateJson(request.state);
    const answers: RawAnswer[] = [];
    let inputTokens = 0;
    for (let next = 0; next < questions.length; next += limits.decisionsTogether) {
      const group = questions.slice(next, next + limits.decisionsTogether);
      const decisions = group.map(({ question }, index) => ({
        // The caller's names may be anything; these are in order and differ.
        id: `q${next + index + 1}`,
        state,
        question: question.instructions,
        options: question.options.map(({ key, text = key, description }, place) => ({
          id: `o${place + 1}`,
          description: description === undefined ? text : `${text}: ${description}`,
        })),
      }));
      const [first] = decisions;
      const text = await send(JSON.stringify(decisions.length === 1 ? { decision: first } : { decisions }));
      for (const [index, result] of readResults(text, decisions).entries()) {
        answers.push(readResult(result, group[index] as NamedQuestion));
        inputTokens += result.input_tokens ?? 0;
      }
    }
    return {
      questions: answers,
      usage: { inputTokens, outputTokens: 0, evaluatedTokens: inputTokens, reusedTokens: 0, reusedPriors: 0 },
      timings: noTimings,
      warnings: withoutEffect(request),
    };
  },
};

const resultSchema = z.object({
  id: z.string(),
  option_ids: z.array(z.string()),
  probabilities: z.array(z.number()),
  allowed_token_mass: z.number().nullish(),
  input_tokens: z.int().min(0).nullish(),
});
type Result = z.infer<typeof resultSchema>;

const answerSchema = z.union([z.object({ result: resultSchema }), z.object({ results: z.array(resultSchema) })]);

/** The results in the order of the decisions. */
function readResults(text: string, decisions: readonly { readonly id: string }[]): readonly Result[] {
  const answer = readJsonText(answerSchema, text);
  const results = "result" in answer ? [answer.result] : answer.results;
  return decisions.map(({ id }) => {
    const result = results.find((each) => each.id === id);
    if (result === undefined) throw new OptioError("invalid_distribution", "The endpoint left a decision out.");
    return result;
  });
}

function readResult(
  { option_ids, probabilities, allowed_token_mass }: Result,
  { id, question }: NamedQuestion,
): RawAnswer {
  const numbers = question.options.map((_, place) => {
    const at = option_ids.indexOf(`o${place + 1}`);
    const probability = probabilities[at];
    if (probability === undefined) {
      throw new OptioError("invalid_distribution", `The answer to "${id}" lacks the option ${place + 1}.`);
    }
    return probability;
  });
  return ownPass(numbers, allowed_token_mass ?? undefined);
}
