import type { ChatEvent, ChatRequest, TokenProbability } from "@optio/core/engines";
import { type OrderedJson, toPlainJson } from "@optio/core/wire";
import { z } from "zod";
import { HttpError } from "../http-error.js";
import { Float, type JsonValue } from "./json-text.js";

/** A request of `POST /v1/chat/completions`, as far as it is answered here. */
export interface ChatCompletionRequest {
  readonly model: string | undefined;
  readonly chat: ChatRequest;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly logprobs: boolean;
  /** Probabilities after bias and temperature instead of the model's own, as llama-server has it. */
  readonly postSampling: boolean;
}

/** Tokens of an answer where the request names no limit. */
const defaultMaxTokens = 512;
/** Of OpenAI's hosted models 20 are told; readers of options want more. */
const mostTopTokens = 1_000;

/** What is asked for and not there, by field: each is refused rather than ignored, since the answer would be another one. */
const unsupported: readonly (readonly [field: string, asks: (value: unknown) => boolean, what: string])[] = [
  ["tools", isGiven, "Tools are"],
  ["functions", isGiven, "Functions are"],
  ["n", (value) => isGiven(value) && value !== 1, "More than one answer (n) is"],
  ["audio", isGiven, "Audio is"],
  ["modalities", (value) => isGiven(value) && JSON.stringify(value) !== '["text"]', "Modalities other than text are"],
  ["response_format", (value) => isGiven(value) && !isText(value), "A format of the answer is"],
  ["grammar", isGiven, "A grammar is"],
  ["prediction", isGiven, "A predicted answer is"],
];

const part = z.object({ type: z.literal("text", { error: "can only be text" }), text: z.string() });
const message = z.object({
  role: z.enum(["system", "developer", "user", "assistant"], {
    error: "must be system, developer, user or assistant",
  }),
  content: z.union([z.string(), z.array(part)], {
    error: "must be text, or a list of text parts: images are not read here",
  }),
});
const number = (min: number, max: number) =>
  z
    .number({ error: "must be a number" })
    .min(min, { error: `must be at least ${min}` })
    .max(max, { error: `must be at most ${max}` });
const whole = (min: number, max: number) => number(min, max).int({ error: "must be a whole number" });
const flag = z.boolean({ error: "must be true or false" });

const requestSchema = z.object({
  model: z.string({ error: "must be text" }).nullish(),
  messages: z.array(message, { error: "must be a list of messages" }).min(1, { error: "must not be empty" }),
  max_tokens: whole(1, 1_000_000).nullish(),
  max_completion_tokens: whole(1, 1_000_000).nullish(),
  temperature: number(0, 5).nullish(),
  top_p: number(0, 1).nullish(),
  top_k: whole(0, 1_000).nullish(),
  min_p: number(0, 1).nullish(),
  seed: z.number({ error: "must be a number" }).nullish(),
  stop: z
    .union([z.string(), z.array(z.string()).max(16)], { error: "must be text, or a list of at most 16 texts" })
    .nullish(),
  stream: flag.nullish(),
  stream_options: z.object({ include_usage: flag.nullish() }).nullish(),
  logprobs: flag.nullish(),
  top_logprobs: whole(0, mostTopTokens).nullish(),
  logit_bias: z.record(z.string(), number(-1_000, 1_000)).nullish(),
  cache_prompt: flag.nullish(),
  post_sampling_probs: flag.nullish(),
});

/** @throws HttpError 400 that names the field */
export function chatCompletionRequest(body: ReadonlyMap<string, OrderedJson>): ChatCompletionRequest {
  for (const [field, asks, what] of unsupported) {
    if (asks(toPlainJson(body.get(field) ?? null))) throw refused(`${what} not supported here.`, field);
  }
  const parsed = requestSchema.safeParse(toPlainJson(body));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = (issue?.path ?? []).map(String).join(".");
    throw refused(`${field} ${issue?.message}.`, field);
  }
  const given = parsed.data;
  const topTokens = given.top_logprobs ?? 0;
  if (topTokens > 0 && !given.logprobs) throw refused("top_logprobs needs logprobs: true.", "top_logprobs");
  const { stop } = given;
  return {
    model: given.model ?? undefined,
    stream: given.stream ?? false,
    includeUsage: given.stream_options?.include_usage ?? false,
    logprobs: given.logprobs ?? false,
    postSampling: given.post_sampling_probs ?? false,
    chat: {
      messages: given.messages.map(({ role, content }) => ({
        role: role === "developer" ? "system" : role,
        content: typeof content === "string" ? content : content.map(({ text }) => text).join(""),
      })),
      maxTokens: given.max_completion_tokens ?? given.max_tokens ?? defaultMaxTokens,
      sampling: {
        temperature: given.temperature ?? 1,
        topK: given.top_k ?? 0,
        topP: given.top_p ?? 1,
        minP: given.min_p ?? 0,
        seed: given.seed ?? Math.floor(Math.random() * 2 ** 32),
        // A number is the id of a token, anything else its text.
        bias: Object.entries(given.logit_bias ?? {}).map(([token, bias]) => [
          /^\d+$/u.test(token) ? Number(token) : token,
          bias,
        ]),
      },
      stop: stop == null ? [] : typeof stop === "string" ? [stop] : stop,
      topTokens,
      reuse: given.cache_prompt ?? true,
    },
  };
}

/** What names an answer. */
export interface CompletionFacts {
  readonly id: string;
  readonly model: string;
  /** Seconds since 1970. */
  readonly created: number;
  /** Says which weights and which llama.cpp answered. */
  readonly fingerprint: string;
}

/** A whole answer. */
export function chatCompletion(
  events: readonly ChatEvent[],
  request: ChatCompletionRequest,
  facts: CompletionFacts,
): JsonValue {
  const end = events.at(-1);
  const tokens = events.filter((event) => event.kind === "token");
  return {
    ...heading(facts, "chat.completion"),
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: events.map(({ text }) => text).join(""), refusal: null },
        logprobs: request.logprobs
          ? { content: tokens.map((token) => tokenLogprobs(token, request)), refusal: null }
          : null,
        finish_reason: end?.kind === "end" ? end.reason : null,
      },
    ],
    usage: end?.kind === "end" ? usageOf(end) : null,
  };
}

/** One event of a streamed answer, as the chunks that tell it. */
export function chatChunks(
  event: ChatEvent,
  request: ChatCompletionRequest,
  facts: CompletionFacts,
): readonly JsonValue[] {
  const head = heading(facts, "chat.completion.chunk");
  const chunk = (delta: JsonValue, finish: string | null, logprobs: JsonValue): JsonValue => ({
    ...head,
    choices: [{ index: 0, delta, logprobs, finish_reason: finish }],
    ...(request.includeUsage ? { usage: null } : {}),
  });
  if (event.kind === "token") {
    const logprobs = request.logprobs ? { content: [tokenLogprobs(event, request)] } : null;
    return event.text === "" && logprobs === null ? [] : [chunk({ content: event.text }, null, logprobs)];
  }
  return [
    ...(event.text === "" ? [] : [chunk({ content: event.text }, null, null)]),
    chunk({}, event.reason, null),
    ...(request.includeUsage ? [{ ...head, choices: [], usage: usageOf(event) }] : []),
  ];
}

/** What comes before the first word. */
export function openingChunk(request: ChatCompletionRequest, facts: CompletionFacts): JsonValue {
  return {
    ...heading(facts, "chat.completion.chunk"),
    choices: [{ index: 0, delta: { role: "assistant", content: "" }, logprobs: null, finish_reason: null }],
    ...(request.includeUsage ? { usage: null } : {}),
  };
}

function heading({ id, model, created, fingerprint }: CompletionFacts, object: string) {
  return { id, object, created, model, system_fingerprint: fingerprint };
}

function usageOf({ usage }: Extract<ChatEvent, { kind: "end" }>): JsonValue {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.reusedTokens },
  };
}

function tokenLogprobs(
  { token, top, drawnFrom }: Extract<ChatEvent, { kind: "token" }>,
  { postSampling }: ChatCompletionRequest,
): JsonValue {
  if (!postSampling)
    return {
      ...named(token),
      logprob: new Float(finite(token.logProbability)),
      top_logprobs: top.map((each) => ({ ...named(each), logprob: new Float(finite(each.logProbability)) })),
    };
  const own = drawnFrom.find(({ id }) => id === token.id);
  const probability = ({ logProbability }: TokenProbability) => new Float(Math.exp(logProbability));
  return {
    ...named(token),
    prob: own === undefined ? new Float(0) : probability(own),
    top_probs: drawnFrom.map((each) => ({ ...named(each), prob: probability(each) })),
  };
}

function named({ id, bytes }: TokenProbability) {
  return { id, token: new TextDecoder().decode(bytes), bytes: [...bytes] };
}

/** JSON has no infinity: the least that OpenAI tells is this. */
function finite(logProbability: number): number {
  return Math.max(logProbability, -9999);
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
}

function isText(format: unknown): boolean {
  return typeof format === "object" && format !== null && "type" in format && format.type === "text";
}

function refused(message: string, field: string): HttpError {
  return new HttpError(400, "invalid_request_error", message, { field });
}
