import { type Experimental_DecisionModelV4, NoSuchModelError, type ProviderV4 } from "@ai-sdk/provider";
import { chooseDecider, type DeciderChoice } from "../given-decider.js";
import { decisionModel } from "./decision-model.js";

/** The options of a decider, or a decider that is there already. */
export type OptioProviderOptions = DeciderChoice & {
  /** What the provider calls its model, in registries and in telemetry. Default `default`. */
  readonly modelId?: string;
};

/** A provider of one decision model, for `experimental_decide`, registries and custom providers. */
export interface OptioProvider extends ProviderV4, AsyncDisposable {
  /**
   * The decision model.
   *
   * @throws NoSuchModelError for an id that is not the provider's `modelId`
   */
  decisionModel(modelId?: string): Experimental_DecisionModelV4;
  /** Closes the engine, unless the provider was given a decider. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Lets the AI SDK decide with an engine of optio. Nothing is loaded before the first decision.
 *
 * `providerOptions.optio` of a call takes `policy`, `readout`, `confidence`, `minLabelMass`, `reuse` and `timeoutMs`.
 *
 * @throws OptioError `invalid_setting`
 *
 * @example
 * const optio = createOptio({ engine: wasm() });
 * await experimental_decide({ model: optio.decisionModel(), state: "...", questions: { ... } });
 */
export function createOptio(options: OptioProviderOptions): OptioProvider {
  const { modelId: known = "default", ...choice } = options;
  const { decider, close } = chooseDecider(choice as DeciderChoice);
  const model = decisionModel(decider, known);
  return {
    specificationVersion: "v4",
    decisionModel(modelId = known) {
      if (modelId !== known) throw new NoSuchModelError({ modelId, modelType: "decisionModel" });
      return model;
    },
    languageModel: (modelId) => refuse(modelId, "languageModel"),
    embeddingModel: (modelId) => refuse(modelId, "embeddingModel"),
    imageModel: (modelId) => refuse(modelId, "imageModel"),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function refuse(modelId: string, modelType: "languageModel" | "embeddingModel" | "imageModel"): never {
  throw new NoSuchModelError({ modelId, modelType, message: "optio has decision models only." });
}
