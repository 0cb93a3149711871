// One decision by the model file of the first argument, in the build of the second or the best; the same program for Node, Deno and Bun.
import process from "node:process";
import { choice, createDecider, wasm } from "@optio/core";

const [model = ""] = process.argv.slice(2);
const variant = /** @type {import("@optio/core").WasmVariant | undefined} */ (process.argv[3]);
const decider = createDecider({ engine: wasm({ model, ...(variant === undefined ? {} : { variant }) }) });
const { answers, receipt } = await decider.decide({
  state: "My card was charged twice.",
  questions: { team: choice("Which team?", ["billing", "technical"]) },
});
await decider.close();
console.log(JSON.stringify({ distribution: answers.team.distribution, receipt }));
