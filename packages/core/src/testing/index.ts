export { type EngineCheck, engineContract } from "./engine-contract.js";
export { type FakeEngineSource, type FakeOptions, fake } from "./fake.js";
export type { FakeAnswer, FakeAnswerRule } from "./fake-answer.js";
