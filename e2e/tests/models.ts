import { join } from "node:path";
import { defaultModelsDir } from "@optio/web-demo/server";

/** The model store of this machine. */
export const modelsDir = defaultModelsDir();

/** The small model of the tests. */
export const fixtureModel = {
  id: "smollm2-135m-instruct",
  file: "SmolLM2-135M-Instruct.Q4_1.gguf",
  sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
};

export const fixtureModelPath = join(modelsDir, fixtureModel.sha256, fixtureModel.file);
