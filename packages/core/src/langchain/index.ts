/** Decisions through LangChain. */
export { decisionOf, OptioDecisionModel, type OptioDecisionModelFields } from "./optio-decision-model.js";
