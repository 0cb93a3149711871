/** What servers and clients of other wires are made with. */
export { remoteFailure } from "../engines/http/remote-failure.js";
export { readSystemOneAnswer, type SystemOneAnswer, stateJson, writeSystemOne } from "../engines/http/system-one.js";
export { withoutEffect } from "../engines/remote.js";
export { pause } from "../pause.js";
export { type ChatPrompt, chatPrompt } from "../prompt/chat-prompt.js";
export { stateText } from "../prompt/state-text.js";
export { questionsFromWire, type WireQuestionInput } from "../questions/from-wire.js";
export { type OrderedJson, type OrderedJsonObject, toPlainJson } from "../questions/ordered-json.js";
export { readJson } from "../questions/read-json.js";
export { Turnstile } from "../turnstile.js";
