// One decision by the model file named in the first argument; the same program for Node, Deno and Bun.
import process from "node:process";
import { choice, createDecider, wasm } from "@optio/core";

const decider = createDecider({ engine: wasm({ model: process.argv[2] ?? "" }) });
const { answers, receipt } = await decider.decide({
  state: "My card was charged twice.",
  questions: { team: choice("Which team?", ["billing", "technical"]) },
});
await decider.close();
console.log(JSON.stringify({ distribution: answers.team.distribution, receipt }));
