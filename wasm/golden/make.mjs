// Writes golden/frames.json anew: node wasm/golden/make.mjs. To be run only when the protocol changes on purpose.

import { writeFileSync } from "node:fs";
import { encodePlan, frame, ModuleClient, OPS, Writer } from "../test/client.mjs";
import { modelPath } from "../test/fixture.mjs";

const plan = [
  { parent: -1, tokens: [504, 1743, 282], reads: [] },
  { parent: 0, tokens: [4649], reads: [{ at: 0, ids: [314, 260, 28] }] },
  { parent: 0, tokens: [2591, 30], reads: [{ at: 0, ids: [2] }, { at: 1, ids: [2, 198] }] },
];

const requests = {
  "tokenize, two texts": frame(OPS.tokenize, 1, new Writer().u32(2).u32(1).string("<|im_end|>").u32(0).string("Grüße!").bytes()),
  "score, three nodes": frame(OPS.score, 2, encodePlan(plan, { reuse: false })),
  "score, a parent that comes later": frame(OPS.score, 3, encodePlan([{ parent: 1, tokens: [1], reads: [] }])),
  "forget": frame(OPS.forget, 4),
  "step with nothing unfinished": frame(OPS.step, 5),
  "an unknown op": frame(77, 6),
};

const scorer = await ModuleClient.start();
await scorer.load(modelPath, { contextTokens: 256 });
const frames = [];
for (const [name, request] of Object.entries(requests)) {
  frames.push({ name, request: hex(request), answer: hex(await scorer.exchange(request)) });
}
await scorer.close();
writeFileSync(new URL("frames.json", import.meta.url), `${JSON.stringify({ plan, frames }, null, 2)}\n`);

function hex(bytes) {
  return Buffer.from(bytes).toString("hex");
}
