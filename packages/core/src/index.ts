export { createModelStore } from "#platform";
export type { Decision, DecisionSettings, DecisionTimings } from "./decide.js";
export type * from "./decider.js";
export { createDecider } from "./decider.js";
export { type DecideManyOnceRequest, type DecideOnceRequest, decide, decideMany } from "./default-decider.js";
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
export { type RemoteOptions, remote } from "./engines/remote.js";
export { type WasmOptions, wasm } from "./engines/wasm.js";
export { type ErrorCode, type ErrorDetails, errorHints, OptioError } from "./errors.js";
export { catalogue } from "./generated/models.js";
export { builtInProfile, type PromptProfile, parseProfile } from "./prompt/profile.js";
export { choice } from "./questions/choice.js";
export { parseQuestions } from "./questions/from-wire.js";
export type { AnswerOf, AnswersOf, QuestionInput, QuestionsInput } from "./questions/normalize.js";
export { noul } from "./questions/noul.js";
export type * from "./questions/question.js";
export { score } from "./questions/score.js";
export type { WasmFeatures, WasmVariant } from "./scorer/variant.js";
export { chooseVariant, detectFeatures, hasRelaxedSimd, hasThreads, wasmVariants } from "./scorer/variant.js";
export type { ModuleAssets } from "./scorer/worker-api.js";
export type { StateInput } from "./state.js";
export type { CatalogueEntry, ModelSource } from "./store/catalogue.js";
export type { ModelStore, StoredModel } from "./store/model-store.js";
export { confidenceFormulas } from "./trust/confidence.js";
export { isLowLabelMass } from "./trust/label-mass.js";
export type { DecisionPolicy, Policy } from "./trust/policy.js";
export type { Attempt, PassedOver, Receipt } from "./trust/receipt.js";
export { optioVersion } from "./version.js";
