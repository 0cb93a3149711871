/** For those who write engines and scorers of their own; `@optio/server-bridge` is made with it. */
export { checkOptions, oneOf, options, whole } from "../check-options.js";
export { OptioError } from "../errors.js";
export type { PromptProfile } from "../prompt/profile.js";
export {
  type Frame,
  FrameKind,
  FrameReader,
  FrameSplitter,
  FrameWriter,
  Op,
  protocolVersion,
  readFrame,
} from "../scorer/frame.js";
export * from "../scorer/protocol.js";
export {
  type RestartingScorerOptions,
  type ScorerSession,
  startRestartingScorer,
} from "../scorer/restarting-scorer.js";
export type * from "../scorer/scorer.js";
export { isAboutOneState, type Settled } from "../settled.js";
export type * from "./engine.js";
export {
  createLocalEngine,
  type LocalEngineOptions,
  type LocalModel,
  localEngineFields,
  localModel,
} from "./local.js";
