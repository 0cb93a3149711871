export type { CallControl } from "./call.js";
export { createDecider, type Decider, type DeciderOptions, type DecideRequest, type ReadyOptions } from "./decider.js";
export { decide, type DecideOnceRequest } from "./default-decider.js";
export type { Decision, DecisionSettings, DecisionTimings } from "./decide.js";
export type {
  ChatMessage,
  Engine,
  EngineInfo,
  EngineKind,
  EngineSource,
  ModelIdentity,
  ProfileIdentity,
  Progress,
  Readout,
  Usage,
} from "./engines/engine.js";
export { wasm, type WasmOptions } from "./engines/wasm.js";
export { type ErrorCode, type ErrorDetails, errorHints, OptioError } from "./errors.js";
export { builtInProfile, parseProfile, type PromptProfile } from "./prompt/profile.js";
export { choice } from "./questions/choice.js";
export { noul } from "./questions/noul.js";
export { score } from "./questions/score.js";
export type * from "./questions/question.js";
export type { AnswerOf, AnswersOf, QuestionInput, QuestionsInput } from "./questions/normalize.js";
export { parseQuestions } from "./questions/from-wire.js";
export type { StateInput } from "./state.js";
export { confidenceFormulas } from "./trust/confidence.js";
export type { DecisionPolicy, Policy } from "./trust/policy.js";
export type { Receipt } from "./trust/receipt.js";
export { chooseVariant, detectFeatures, type WasmFeatures, type WasmVariant } from "./scorer/variant.js";
export type { ModuleAssets } from "./scorer/worker-api.js";
export { catalogue } from "./generated/models.js";
export type { CatalogueEntry, ModelSource } from "./store/catalogue.js";
export type { ModelStore, StoredModel } from "./store/store.js";
export { createModelStore } from "#platform";
export { optioVersion } from "./version.js";
