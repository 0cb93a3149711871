import { OptioError, type PromptProfile } from "@optio/core";
import type { NamedQuestion, RawAnswer } from "@optio/core/engines";
import { chatPrompt, stateText } from "@optio/core/wire";
import { z } from "zod";
import { readJsonText } from "./answer-text.js";
import { type Codec, noTimings, ownPass, type Send, sageMakerBodyBytes } from "./codec.js";

/** Labels that are one token each in the vocabularies of this container's models; digits would be taken for token ids. */
const labels = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index));

/** Most probable tokens that are asked for: labels are among them unless the model meant something else, in 10 kB of answer. */
const topTokens = 100;

/** Adds so much to the labels' logits that nothing else has a probability. */
const labelBias = 100;

/**
 * Chat completions of llama-server: AWS's plain llama.cpp container, which has no other route.
 *
 * A question is one request, of which the first token's probabilities are read: the log-probabilities of the whole vocabulary's
 * most probable tokens, which give the label mass as well. Where a label is not among them, a second request with a bias on the
 * labels gives their exact probabilities among each other.
 */
export function chatCodec({ profile }: { readonly profile: PromptProfile }): Codec {
  return {
    maxBodyBytes: sageMakerBodyBytes,
    async decide({ state, questions, readout, reuse }, _info, send) {
      const text = stateText(state);
      const asked = questions.map((named) => ({ named, ...completionOf(named, text, profile, reuse) }));
      const answers: RawAnswer[] = [];
      const usage = { inputTokens: 0, outputTokens: 0, reusedTokens: 0 };
      // In turn: what they have in common is in the server's cache from the second on.
      for (const { named, body, slots } of asked) {
        const { answer, responses } = await ask(named, body, slots, send);
        answers.push(answer);
        for (const { usage: spent } of responses) {
          usage.inputTokens += spent?.prompt_tokens ?? 0;
          usage.outputTokens += spent?.completion_tokens ?? 0;
          usage.reusedTokens += spent?.prompt_tokens_details?.cached_tokens ?? 0;
        }
      }
      return {
        questions: answers,
        usage: { ...usage, evaluatedTokens: Math.max(0, usage.inputTokens - usage.reusedTokens), reusedPriors: 0 },
        timings: noTimings,
        warnings:
          Object.keys(readout).length === 0
            ? []
            : ["Chat completions are read by letters in the author's order: `readout` had no effect."],
      };
    },
  };
}

function completionOf({ id, question }: NamedQuestion, text: string, profile: PromptProfile, reuse: boolean) {
  const slots = labels.slice(0, question.options.length);
  if (slots.length < question.options.length) {
    throw new OptioError(
      "too_many_options",
      `"${id}" has ${question.options.length} options, more than the ${labels.length} letters of a chat.`,
      { hint: "Use fewer options, or an engine without this limit.", details: { options: question.options.length } },
    );
  }
  const { system, user } = chatPrompt(profile, question, text, slots);
  const body = {
    messages: [
      { role: "system", content: system },
      { role: "user", content: user },
    ],
    max_tokens: 1,
    temperature: 1,
    // With thinking on, the first token is a thought.
    chat_template_kwargs: { enable_thinking: false },
    // A prompt that is read from the cache gives slightly other numbers.
    cache_prompt: reuse,
    logprobs: true,
  };
  return { body, slots };
}

async function ask(named: NamedQuestion, body: object, slots: readonly string[], send: Send) {
  const raw = readJsonText(rawSchema, await send(JSON.stringify({ ...body, top_logprobs: topTokens })));
  const seen = new Map(
    raw.choices[0]?.logprobs.content[0]?.top_logprobs.map(({ token, logprob }) => [token, Math.exp(logprob)]),
  );
  const masses = slots.map((slot) => seen.get(slot));
  const labelMass = masses.reduce<number>((sum, mass) => sum + (mass ?? 0), 0);
  if (labelMass > 0 && masses.every((mass) => mass !== undefined)) {
    return {
      answer: ownPass(
        masses.map((mass) => mass / labelMass),
        Math.min(labelMass, 1),
      ),
      responses: [raw],
    };
  }
  const biased = readJsonText(
    biasedSchema,
    await send(
      JSON.stringify({
        ...body,
        top_logprobs: slots.length,
        logit_bias: Object.fromEntries(slots.map((slot) => [slot, labelBias])),
        // Others would cut off improbable options, or make the winner certain.
        samplers: ["temperature"],
        post_sampling_probs: true,
      }),
    ),
  );
  const exact = new Map(biased.choices[0]?.logprobs.content[0]?.top_probs.map(({ token, prob }) => [token, prob]));
  const probabilities = slots.map((slot) => {
    const probability = exact.get(slot);
    // A label of several tokens has its bias on each of them, and never comes back as itself.
    if (probability === undefined) {
      throw new OptioError("labels_unusable", `${slot} is not a token of the endpoint's model, in "${named.id}".`, {
        hint: "This model cannot be asked by letters; use the systemone or semif codec with a container of its own.",
      });
    }
    return probability;
  });
  return { answer: ownPass(probabilities, Math.min(labelMass, 1)), responses: [raw, biased] };
}

const usageSchema = z
  .object({
    prompt_tokens: z.int().min(0).catch(0),
    completion_tokens: z.int().min(0).catch(0),
    prompt_tokens_details: z
      .object({ cached_tokens: z.int().min(0).catch(0) })
      .nullish()
      .catch(undefined),
  })
  .nullish()
  .catch(undefined);

const completion = <S extends z.ZodType>(content: S) =>
  z.object({
    choices: z.array(z.object({ logprobs: z.object({ content: z.array(content).min(1) }) })).min(1),
    usage: usageSchema,
  });

const rawSchema = completion(
  z.object({ top_logprobs: z.array(z.object({ token: z.string(), logprob: z.number().max(1e-3) })) }),
);
const biasedSchema = completion(
  z.object({ top_probs: z.array(z.object({ token: z.string(), prob: z.number().min(0).max(1) })) }),
);
