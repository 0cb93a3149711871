/** System One JSON: for servers and clients that speak it. */
export { questionsFromWire, type WireQuestionInput } from "../questions/from-wire.js";
export { type OrderedJson, type OrderedJsonObject, toPlainJson } from "../questions/ordered-json.js";
export { readJson } from "../questions/read-json.js";
