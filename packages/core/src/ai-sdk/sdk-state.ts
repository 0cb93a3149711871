import { type Experimental_DecisionModelV4State, UnsupportedFunctionalityError } from "@ai-sdk/provider";
import type { Json } from "../questions/question.js";
import { readUntrusted } from "../read-untrusted.js";
import type { StateInput } from "../state.js";

/**
 * The state of an AI SDK call: one part is the state itself, several texts are paragraphs, anything else is a list in the
 * order of the parts.
 *
 * @throws UnsupportedFunctionalityError for files; OptioError `invalid_state` for what is not JSON
 */
export function sdkState(parts: Experimental_DecisionModelV4State): StateInput {
  const values = parts.map((part) => {
    switch (part.type) {
      case "text":
        return part.text;
      case "json":
        return plainJson(part.value);
      default:
        throw new UnsupportedFunctionalityError({
          functionality: `state parts of the type ${part.type}`,
          message: `optio reads text and JSON; this state has a ${part.type} (${part.mediaType}).`,
        });
    }
  });
  const [only] = values;
  if (values.length === 1 && only !== undefined) return only;
  return parts.every(({ type }) => type === "text") ? values.join("\n\n") : values;
}

/** The SDK's JSON may have undefined fields, which JSON text leaves out. */
function plainJson(value: unknown): Json {
  return readUntrusted("invalid_state", "The state", () => JSON.parse(JSON.stringify(value)));
}
