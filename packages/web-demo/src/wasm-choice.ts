import { type CatalogueEntry, catalogue, chooseVariant, createModelStore, detectFeatures, OptioError, wasm, type WasmOptions } from "@optio/core";
import type { EngineChoice, ModelOffer } from "./engine-choice.js";

/** What the catalogue's roles mean to someone who chooses a model. */
const roleWords: Readonly<Record<string, string>> = {
  default: "The smallest one here that is measurably useful.",
  "small-memory": "For devices with little memory; right less often.",
  fixture: "For trying the page out and for tests: its answers are close to chance.",
};
