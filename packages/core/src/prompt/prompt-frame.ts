import { OptioError } from "../errors.js";
import type { ModelInfo, Scorer } from "../scorer/scorer.js";
import { concatTokens, marksSomething, tokenizeContent } from "./reserved-tokens.js";
import { renderChatFrame } from "./template.js";

/** The tokens around the user's message; the same for every decision of a model and a profile. */
export interface PromptFrame {
  /** From the first token (BOS included where the model wants one) to where the user's message begins. */
  readonly head: Int32Array;
  /** From the end of the user's message to where the answer begins. */
  readonly tail: Int32Array;
  /** The text of `tail`, for finding labels in context. */
  readonly tailText: string;
  /** What stands right before the answer and is not a control token: an option's first token is found behind it. */
  readonly answerLead: string;
  /**
   * The token that ends an answer: the first control token that the template writes behind one, else the vocabulary's
   * end of turn or of text; absent where it has neither.
   */
  readonly endToken?: number;
  /** The day that the template was told, when it asked. */
  readonly pinnedDate?: string;
}

/** @throws OptioError `template_failed`, `reserved_token` */
export async function preparePromptFrame(scorer: Scorer, system: string, signal: AbortSignal): Promise<PromptFrame> {
  const { model } = scorer.info;
  const frame = renderChatFrame(model);
  const texts = [frame.head, frame.afterSystem ?? "", frame.tail, frame.afterAnswer].map((text) => ({
    text,
    special: true,
  }));
  const [head, afterSystem, tail, afterAnswer] = await scorer.tokenize(texts, { signal });
  const takesSystem = frame.afterSystem !== undefined;
  const [systemTokens] = await tokenizeContent(scorer, [takesSystem ? system : `${system}\n\n`], signal);
  if (!head || !afterSystem || !tail || !afterAnswer || !systemTokens) {
    throw new OptioError("internal", "The scorer tokenised fewer texts than it was given.");
  }
  const opening =
    model.addBos && model.bosToken >= 0 && head[0] !== model.bosToken ? [Int32Array.of(model.bosToken)] : [];
  const ends = [...afterAnswer.filter((id) => isMarker(model, id)), model.eotToken, model.eosToken];
  const endToken = ends.find((id) => id >= 0);
  return {
    head: concatTokens([...opening, head, systemTokens, ...(takesSystem ? [afterSystem] : [])]),
    tail,
    tailText: frame.tail,
    answerLead: behindMarkers(frame.tail, model),
    ...(endToken === undefined ? {} : { endToken }),
    ...(frame.pinnedDate === undefined ? {} : { pinnedDate: frame.pinnedDate }),
  };
}

function isMarker(model: ModelInfo, id: number): boolean {
  const token = model.reservedTokens.find((candidate) => candidate.id === id);
  return token !== undefined && marksSomething(token);
}

/** The text behind the last control token in it. */
function behindMarkers(text: string, { reservedTokens }: ModelInfo): string {
  const ends = reservedTokens.filter(marksSomething).map((marker) => {
    const at = text.lastIndexOf(marker.text);
    return at === -1 || marker.text === "" ? 0 : at + marker.text.length;
  });
  return text.slice(Math.max(0, ...ends));
}
