import { choice, decide, wasm } from "@optio/core";

/** The smallest page that decides: what a bundler must get right is in the library, not here. */
async function main() {
  const model = new URLSearchParams(location.search).get("model") ?? "";
  const { answers, receipt } = await decide({
    engine: wasm({ model }),
    state: "My card was charged twice.",
    questions: { team: choice("Which team?", ["billing", "technical"]) },
  });
  return { distribution: answers.team.distribution, receipt };
}

Object.assign(globalThis, { decision: main() });
