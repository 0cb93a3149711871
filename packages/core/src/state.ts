import { z } from "zod";
import type { ChatMessage, State } from "./engines/engine.js";
import { OptioError } from "./errors.js";
import type { Json } from "./questions/question.js";
import { checkNesting, readUntrusted } from "./read-untrusted.js";
import { isAboutOneState, type Settled } from "./settled.js";

/** What a decision can be about. A list whose items all have `role` and `content` is a conversation; other lists are JSON. */
export type StateInput = string | readonly ChatMessage[] | Json;

const messagesSchema = z.array(z.object({ role: z.string().min(1), content: z.string() })).min(1);

/** @throws OptioError `invalid_state` when it is empty or not JSON. */
export function normalizeState(input: unknown): State {
  return readUntrusted("invalid_state", "The state", () => readState(input));
}

function readState(input: unknown): State {
  if (typeof input === "string") {
    if (input.trim() === "") throw new OptioError("invalid_state", "The state is an empty text.");
    return { kind: "text", text: input };
  }
  if (input === null || input === undefined) throw new OptioError("invalid_state", `The state is ${input}.`);
  checkNesting("invalid_state", "The state", input);
  const messages = messagesSchema.safeParse(input);
  if (messages.success) return { kind: "messages", messages: messages.data };
  const json = z.json().safeParse(input);
  if (!json.success) {
    throw new OptioError("invalid_state", `The state is not JSON: ${z.prettifyError(json.error)}`);
  }
  if (typeof json.data === "object" && json.data !== null && Object.keys(json.data).length === 0) {
    throw new OptioError("invalid_state", `The state is an empty ${Array.isArray(json.data) ? "list" : "object"}.`);
  }
  return { kind: "json", value: json.data };
}

/**
 * Checks each of many states; one that is refused does not harm the others.
 *
 * @throws OptioError `invalid_state` when it is no list at all.
 */
export function normalizeStates(input: unknown): readonly Settled<State>[] {
  if (!Array.isArray(input)) {
    throw new OptioError("invalid_state", "The states are not a list.", {
      hint: "Pass a list of states, even of one.",
    });
  }
  // Not `map`, which leaves out the holes of a sparse list.
  return Array.from(input, (state: unknown): Settled<State> => {
    try {
      return { status: "fulfilled", value: normalizeState(state) };
    } catch (error) {
      if (!isAboutOneState(error)) throw error;
      return { status: "rejected", reason: error };
    }
  });
}
