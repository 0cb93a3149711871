import type { State } from "../engines/engine.js";

/** The state as the model reads it: text as it is, JSON indented by two spaces, a conversation as lines `role: content`. */
export function stateText(state: State): string {
  switch (state.kind) {
    case "text":
      return wellFormed(state.text);
    case "json":
      return wellFormed(JSON.stringify(state.value, null, 2));
    case "messages":
      return wellFormed(state.messages.map(({ role, content }) => `${role}: ${content}`).join("\n"));
  }
}

/** Half of a surrogate pair has no UTF-8 form; it becomes the replacement character. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}
