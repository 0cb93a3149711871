import type { State } from "@langchain/core/decisions";
import { type BaseMessage, isBaseMessage } from "@langchain/core/messages";
import type { ChatMessage } from "../engines/engine.js";
import { OptioError } from "../errors.js";
import { readUntrusted } from "../read-untrusted.js";
import type { StateInput } from "../state.js";
import { mediaTypeOf } from "./media-type.js";

/**
 * LangChain's state: a message, or a list of them, is a conversation; inside of other data a message is `{ role, content }`.
 *
 * @throws OptioError `invalid_state` for media, and for blocks of a message that are neither text nor of the model's own making
 */
export function langchainState(state: State): StateInput {
  return readUntrusted("invalid_state", "The state", () =>
    isBaseMessage(state) ? [chatMessage(state)] : plain(state),
  );
}

/** The same data with messages as plain objects; what is not JSON stays, for optio's own check of states to name. */
function plain(value: unknown): StateInput {
  if (isBaseMessage(value)) return { ...chatMessage(value) };
  if (Array.isArray(value)) return Array.from(value, plain) as StateInput;
  if (!isPlainObject(value)) return value as StateInput;
  const media = mediaTypeOf(value);
  if (media !== undefined) throw notText(media);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)])) as StateInput;
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

const roles: Readonly<Record<string, string>> = { human: "user", ai: "assistant" };

function chatMessage(message: BaseMessage): ChatMessage {
  const own = message.type === "generic" && "role" in message && typeof message.role === "string";
  const role = own ? String(message.role) : (roles[message.type] ?? message.type);
  const { content } = message;
  // As LangChain's own `text` has it: blocks are pieces of one text.
  const text = typeof content === "string" ? content : content.map(blockText).join("");
  return { role, content: [...(text === "" ? [] : [text]), ...toolCalls(message)].join("\n") };
}

/** Blocks that a model wrote for itself, or that repeat the message's `tool_calls`. */
const passedOver = [
  "reasoning",
  "thinking",
  "redacted_thinking",
  "tool_call",
  "tool_call_chunk",
  "tool_use",
  "input_json_delta",
  "function_call",
];

function blockText(block: Readonly<Record<string, unknown>> | string): string {
  if (typeof block === "string") return block;
  const { type, text } = block;
  if ((type === "text" || type === "text-plain") && typeof text === "string") return text;
  if (typeof type === "string" && passedOver.includes(type)) return "";
  throw notText(typeof type === "string" ? type : "unknown");
}

/** Which tools an assistant called is part of what was said. */
function toolCalls(message: BaseMessage): readonly string[] {
  const calls: unknown = "tool_calls" in message ? message.tool_calls : undefined;
  if (!Array.isArray(calls)) return [];
  return calls.map(({ name, args }: { name: string; args: unknown }) => JSON.stringify({ tool_call: name, args }));
}

function notText(type: string): OptioError {
  return new OptioError("invalid_state", `The state has a content block of the type "${type}"; optio reads text.`, {
    hint: "Describe it in words, or leave it out.",
  });
}
