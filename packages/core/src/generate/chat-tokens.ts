import type { ChatMessage } from "../engines/engine.js";
import { OptioError } from "../errors.js";
import { concatTokens, tokenizeContent } from "../prompt/reserved-tokens.js";
import { wellFormed } from "../prompt/state-text.js";
import { renderConversation } from "../prompt/template.js";
import type { Scorer } from "../scorer/scorer.js";

/**
 * A conversation as tokens, up to where the answer begins. Control tokens come from the template alone: what the messages say
 * never becomes one.
 *
 * @throws OptioError `template_failed`, `reserved_token`
 */
export async function chatTokens(
  scorer: Scorer,
  messages: readonly ChatMessage[],
  signal: AbortSignal,
): Promise<Int32Array> {
  const { model } = scorer.info;
  const { between } = renderConversation(
    model,
    messages.map(({ role }) => role),
  );
  const [frames, contents] = await Promise.all([
    scorer.tokenize(
      between.map((text) => ({ text, special: true })),
      { signal },
    ),
    tokenizeContent(
      scorer,
      messages.map(({ content }) => wellFormed(content)),
      signal,
    ),
  ]);
  const [first] = frames;
  if (first === undefined) throw new OptioError("internal", "The scorer tokenised fewer texts than it was given.");
  const needsBos = model.addBos && model.bosToken >= 0 && first[0] !== model.bosToken;
  return concatTokens([
    ...(needsBos ? [Int32Array.of(model.bosToken)] : []),
    ...frames.flatMap((frame, index) => [frame, ...(contents[index] === undefined ? [] : [contents[index]])]),
  ]);
}
