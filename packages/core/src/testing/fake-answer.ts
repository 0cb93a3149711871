import type { State } from "../engines/engine.js";
import { OptioError } from "../errors.js";
import { nameOf } from "../questions/check-text.js";
import type { NamedQuestion, Question } from "../questions/question.js";
import { logSoftmax } from "../readout/log-softmax.js";

/**
 * What a fake engine answers to a question: the key of the most probable option (`true` or `false` for a yes/no
 * question, a number for a level), which gets 0.9 while the others share 0.1; or the probability of every option, by
 * key or in the author's order, summing to 1.
 */
export type FakeAnswer = string | boolean | number | readonly number[] | Readonly<Record<string, number>>;

/** The same answer to every state, or one that depends on it. */
export type FakeAnswerRule = FakeAnswer | ((state: State) => FakeAnswer);

const favouriteProbability = 0.9;
const sumTolerance = 1e-6;

/**
 * The probabilities that a fake answer stands for, by option in the author's order.
 *
 * @throws OptioError `invalid_setting` when it does not fit the question
 */
export function fakeProbabilities(answer: FakeAnswer, { id, question }: NamedQuestion): readonly number[] {
  const keys = question.options.map(({ key }) => key);
  if (typeof answer !== "object" || answer === null) return favour(String(answer), id, keys);
  const probabilities = Array.isArray(answer)
    ? [...answer]
    : byKey(answer as Readonly<Record<string, number>>, id, keys);
  if (probabilities.length !== keys.length) {
    throw misfit(id, `has ${probabilities.length} probabilities for ${keys.length} options`);
  }
  const wrong = probabilities.find((each) => !(typeof each === "number" && each >= 0 && each <= 1));
  if (wrong !== undefined) throw misfit(id, `has the probability ${typeof wrong === "number" ? wrong : nameOf(wrong)}`);
  const sum = probabilities.reduce((total, each) => total + each, 0);
  if (Math.abs(sum - 1) > sumTolerance) throw misfit(id, `has probabilities that sum to ${sum}, not 1`);
  return probabilities;
}

/** Probabilities that look like a model's and depend on nothing but the state and the question, not on its id. */
export function hashedProbabilities(state: State, { type, instructions, options }: Question): readonly number[] {
  const about = `${JSON.stringify(state)}\n${type}\n${instructions}`;
  const logits = options.map(({ key, description }) => 5 * fraction(`${about}\n${key}\n${description ?? ""}`));
  return logSoftmax(logits).map(Math.exp);
}

function favour(favourite: string, id: string, keys: readonly string[]): readonly number[] {
  if (!keys.includes(favourite)) throw misfit(id, `is "${favourite}", which is none of the options ${keys.join(", ")}`);
  const rest = (1 - favouriteProbability) / (keys.length - 1);
  return keys.map((key) => (key === favourite ? favouriteProbability : rest));
}

function byKey(answer: Readonly<Record<string, number>>, id: string, keys: readonly string[]): readonly number[] {
  const unknown = Object.keys(answer).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw misfit(id, `names "${unknown}", which is none of the options ${keys.join(", ")}`);
  return keys.map((key) => {
    const probability = Object.hasOwn(answer, key) ? answer[key] : undefined;
    if (probability === undefined) throw misfit(id, `does not name the option "${key}"`);
    return probability;
  });
}

function misfit(id: string, what: string): OptioError {
  return new OptioError("invalid_setting", `The fake answer to "${id}" ${what}.`, {
    hint: "Give a key, or the probability of every option, summing to 1.",
  });
}

/** 0 to 1 by the 32-bit FNV-1a hash of the text's UTF-16 code units, mixed so that similar texts differ. */
function fraction(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
