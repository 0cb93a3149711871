import { OptioError } from "../errors.js";
import type { Question } from "../questions/question.js";
import type { PromptProfile } from "./profile.js";
import { questionSection, stateSection } from "./sections.js";

export interface ChatPrompt {
  readonly system: string;
  readonly user: string;
}

/**
 * Markers that chat templates write between turns. A server of chat completions turns them into control tokens wherever they
 * stand, so that a text with one could end its own turn.
 */
const turnMarker =
  /<\|[^|<>\s]{1,64}\|>|<\/?(?:s|bos|eos|pad|unk|start_of_turn|end_of_turn)>|\[\/?(?:INST|SYS)\]|<<\/?SYS>>/iu;

/**
 * A question as the messages of a chat, for servers that apply the model's template themselves: the same text that an engine on
 * this machine would put between the template's own, options in the author's order.
 *
 * @param labels one for each option
 * @throws OptioError `reserved_token` for text that such a server would take for its own markers
 */
export function chatPrompt(
  profile: PromptProfile,
  question: Question,
  stateText: string,
  labels: readonly string[],
): ChatPrompt {
  const order = question.options.map((_, index) => index);
  const sections = [stateSection(profile, stateText), questionSection(profile, "letter", { question, order }, labels)];
  if (profile.layout === "question-first") sections.reverse();
  const marker = turnMarker.exec(sections.join(""))?.[0];
  if (marker !== undefined) {
    throw new OptioError(
      "reserved_token",
      `The text holds ${JSON.stringify(marker)}, which a chat server would obey.`,
      {
        hint: "Write it differently, or use an engine that keeps text apart from control tokens.",
        details: { text: marker },
      },
    );
  }
  return { system: profile.system, user: sections.join("") + profile.reply.letter };
}
