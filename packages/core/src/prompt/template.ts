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

// Private-use characters: no template treats them specially, and trimming leaves them alone.
const systemMark = "\ue000system\ue001";
const userMark = "\ue000user\ue001";
const answerMark = "\ue000answer\ue001";

/** @throws OptioError `template_failed` when the model has no template, or it cannot be rendered. */
export function renderChatFrame(model: ModelInfo): ChatFrame {
  const source = model.chatTemplates["default"];
  if (source === undefined) {
    throw new OptioError("template_failed", `The model ${model.name} has no chat template.`, {
      hint: "Choose a model that is tuned to follow instructions.",
    });
  }
  let dateAsked = false;
  const render = templateRenderer(source, model, () => {
    dateAsked = true;
  });
  const user = { role: "user", content: userMark };
  const withSystem = tryRender(() => render([{ role: "system", content: systemMark }, user], true));
  // A template may refuse a system message or drop it in silence; either way the text goes into the user's message.
  const takesSystem = withSystem.kind === "text" && withSystem.text.includes(systemMark);
  const opening = takesSystem ? [{ role: "system", content: systemMark }] : [];
  const prompt = takesSystem ? withSystem.text : render([user], true);
  const answered = render([...opening, user, { role: "assistant", content: answerMark }], false);

  const frame = splitPrompt(prompt, takesSystem);
  const afterAnswer = answered.split(answerMark).at(-1) ?? "";
  return {
    ...frame,
    tail: withoutThinking(frame.tail),
    afterAnswer,
    ...(dateAsked ? { pinnedDate } : {}),
  };
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
  const template = attempt(() => new Template(source.replaceAll(/\bstrftime_now\b/g, pinnedClock)));
  return (messages, addGenerationPrompt) =>
    attempt(() =>
      template.render({
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
      }),
    );
}

function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OptioError("template_failed", `The model's chat template failed: ${reason}`, { cause });
  }
}

function tryRender(work: () => string): { readonly kind: "text"; readonly text: string } | { readonly kind: "refused" } {
  try {
    return { kind: "text", text: work() };
  } catch {
    return { kind: "refused" };
  }
}

function splitPrompt(prompt: string, takesSystem: boolean): Pick<ChatFrame, "head" | "afterSystem" | "tail"> {
  const [beforeUser, tail, ...more] = prompt.split(userMark);
  if (beforeUser === undefined || tail === undefined || more.length > 0) {
    throw new OptioError("template_failed", "The model's chat template does not write the user's message exactly once.");
  }
  if (!takesSystem) return { head: beforeUser, tail };
  const [head, afterSystem, ...rest] = beforeUser.split(systemMark);
  if (head === undefined || afterSystem === undefined || rest.length > 0) {
    throw new OptioError("template_failed", "The model's chat template does not write the system message once, before the user's.");
  }
  return { head, afterSystem, tail };
}

/** Some templates open a block of reasoning whatever they are told: the answer belongs behind it. */
function withoutThinking(tail: string): string {
  const open = tail.lastIndexOf("<think>");
  if (open === -1 || tail.includes("</think>", open)) return tail;
  return `${tail.trimEnd()}\n\n</think>\n\n`;
}
