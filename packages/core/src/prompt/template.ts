import { Template } from "@huggingface/jinja";
import { OptioError } from "../errors.js";
import type { ModelInfo } from "../scorer/scorer.js";
import { formatPinnedDate, pinnedDate } from "./pinned-date.js";

/**
 * The model's own chat template, rendered once around marks that stand for what the messages say. What lies between the
 * marks is the template's text, in which control tokens are parsed; what stands in their place never is.
 */
export interface ChatFrame {
  /** Template text before, between and after the messages' contents. */
  readonly head: string;
  /** Absent when the template takes no system message: then the system text opens the user's message. */
  readonly afterSystem?: string;
  /** From the end of the user's message to where the answer begins. */
  readonly tail: string;
  /** What the template writes behind an answer, for example `<|im_end|>` and a line break. */
  readonly afterAnswer: string;
  /** The day that the template was told, when it asked. */
  readonly pinnedDate?: string;
}

function templateOf(model: ModelInfo): string {
  const source = model.chatTemplates["default"];
  if (source !== undefined) return source;
  throw new OptioError("template_failed", `The model ${model.name} has no chat template.`, {
    hint: "Choose a model that is tuned to follow instructions.",
  });
}

// Private-use characters: no template treats them specially, and trimming leaves them alone.
const systemMark = "\ue000system\ue001";
const userMark = "\ue000user\ue001";
const answerMark = "\ue000answer\ue001";

/** @throws OptioError `template_failed` when the model has no template, or it cannot be rendered. */
export function renderChatFrame(model: ModelInfo): ChatFrame {
  const source = templateOf(model);
  let dateAsked = false;
  const render = templateRenderer(source, model, () => {
    dateAsked = true;
  });
  const user = { role: "user", content: userMark };
  const system = { role: "system", content: systemMark };
  // A template may refuse a system message, drop it in silence, repeat it or put it behind the user's: then its text
  // goes into the user's message.
  const withSystem = attempt(() => splitSystem(render([system, user], true)));
  const opening = withSystem === undefined ? [] : [system];
  const frame = withSystem ?? splitUser(render([user], true));
  // What a template writes behind an answer is good to know, and some have no answers in them.
  const answered = attempt(() => render([...opening, user, { role: "assistant", content: answerMark }], false));
  return {
    ...frame,
    tail: withoutThinking(frame.tail),
    afterAnswer: answered?.includes(answerMark) ? (answered.split(answerMark).at(-1) ?? "") : "",
    ...(dateAsked ? { pinnedDate } : {}),
  };
}

/** A conversation as the template writes it: what stands between the messages' contents, and before and behind them. */
export interface ConversationFrame {
  /** One more than there are messages. */
  readonly between: readonly string[];
}

/**
 * The template around a conversation whose last message waits for an answer.
 *
 * @throws OptioError `template_failed` when the template does not write each message once, in their order: it may refuse a system
 *   message, or two messages of the same role after one another.
 */
export function renderConversation(model: ModelInfo, roles: readonly string[]): ConversationFrame {
  const source = templateOf(model);
  const marks = roles.map((_, index) => `\ue000message ${index}\ue001`);
  const render = templateRenderer(source, model, () => undefined);
  let rest = render(
    roles.map((role, index) => ({ role, content: marks[index] ?? "" })),
    true,
  );
  const between: string[] = [];
  for (const mark of marks) {
    const [before, after, ...more] = rest.split(mark);
    if (before === undefined || after === undefined || more.length > 0) {
      throw new OptioError(
        "template_failed",
        "The model's chat template does not write every message once, in order.",
        {
          hint: "Begin with a user's message or one system message, and let user and assistant take turns.",
        },
      );
    }
    between.push(before);
    rest = after;
  }
  return { between: [...between, withoutThinking(rest)] };
}

const pinnedClock = "optio_strftime_now";

interface Message {
  readonly role: string;
  readonly content: string;
}

type Render = (messages: readonly Message[], addGenerationPrompt: boolean) => string;

function templateRenderer(source: string, model: ModelInfo, onDate: () => void): Render {
  const textOf = (id: number): string => model.reservedTokens.find((token) => token.id === id)?.text ?? "";
  // The library's own strftime_now reads the clock and cannot be replaced, so the template calls ours by another name.
  const template = named(source, () => new Template(source.replaceAll(/\bstrftime_now\b/g, pinnedClock)));
  return (messages, addGenerationPrompt) => {
    const variables = {
      messages,
      add_generation_prompt: addGenerationPrompt,
      enable_thinking: false,
      thinking: false,
      bos_token: textOf(model.bosToken),
      eos_token: textOf(model.eosToken),
      [pinnedClock]: (format: string) => {
        onDate();
        return formatPinnedDate(format);
      },
    };
    // Jinja loops over an undefined list as over an empty one, the library refuses to. Lists that are given from the
    // start would make other templates write about tools.
    const plain = attempt(() => template.render(variables));
    return plain ?? named(source, () => template.render({ ...variables, tools: [], documents: [] }));
  };
}

/** The result, or undefined where the work throws. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Constructs that the library lacks and whose failure it does not name. */
const unnamed: readonly (readonly [RegExp, string])[] = [[/\.format\s*\(/, "the string method `format`"]];

function named<T>(source: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const used = unnamed.filter(([pattern]) => pattern.test(source)).map(([, name]) => name);
    const uses = used.length === 0 ? "" : ` (it uses ${used.join(" and ")})`;
    throw new OptioError("template_failed", `The model's chat template failed: ${reason}${uses}`, { cause });
  }
}

type PromptParts = Pick<ChatFrame, "head" | "afterSystem" | "tail">;

function splitUser(prompt: string): PromptParts {
  const [head, tail, ...more] = prompt.split(userMark);
  if (head === undefined || tail === undefined || more.length > 0) {
    throw new OptioError(
      "template_failed",
      "The model's chat template does not write the user's message exactly once.",
    );
  }
  return { head, tail };
}

/** Undefined unless the system message stands once, before the user's. */
function splitSystem(prompt: string): PromptParts | undefined {
  const { head: beforeUser, tail } = splitUser(prompt);
  const [head, afterSystem, ...more] = beforeUser.split(systemMark);
  const usable = head !== undefined && afterSystem !== undefined && more.length === 0 && !tail.includes(systemMark);
  return usable ? { head, afterSystem, tail } : undefined;
}

/** How models mark the beginning and the end of their reasoning. */
const reasoningBlocks = [
  ["<think>", "</think>"],
  ["<|START_THINKING|>", "<|END_THINKING|>"],
  ["[THINK]", "[/THINK]"],
  ["<seed:think>", "</seed:think>"],
] as const;

/** Some templates open a block of reasoning whatever they are told: the answer belongs behind it. */
function withoutThinking(tail: string): string {
  for (const [open, close] of reasoningBlocks) {
    const at = tail.lastIndexOf(open);
    if (at !== -1 && !tail.includes(close, at)) return `${tail.trimEnd()}\n\n${close}\n\n`;
  }
  return tail;
}
