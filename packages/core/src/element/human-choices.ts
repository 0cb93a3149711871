import type { Action } from "../questions/question.js";
import { answeredOption } from "../results/result-row.js";
import type { RunResult } from "./decision-run.js";

/** What a question has come to, and who decided it. */
export interface Settlement {
  /** Key of the option; `true` or `false` of a yes/no question, the number of a level. */
  readonly option: string;
  readonly by: "model" | "person";
}

/** Steps that can be undone. */
const maxUndo = 20;

/**
 * What a person decides about the answers of one result. Answers that are accepted settle themselves, but for a sample that is
 * looked at all the same. A person's choice never changes what the model said.
 */
export class HumanChoices {
  readonly #audited = new Set<string>();
  #chosen: ReadonlyMap<string, string> = new Map();
  #past: ReadonlyMap<string, string>[] = [];
  readonly #result: RunResult;
  readonly #actionOf: (id: string) => Action | undefined;

  /**
   * @param actionOf what the policy in force says of a question's answer
   * @param audit share of the accepted answers that a person looks at, 0 to 1
   * @param random 0 to 1, asked once a question
   */
  constructor(
    result: RunResult,
    actionOf: (id: string) => Action | undefined,
    audit: number,
    random: () => number = Math.random,
  ) {
    this.#result = result;
    this.#actionOf = actionOf;
    for (const { id } of result.answers) if (random() < audit) this.#audited.add(id);
  }

  /** Whether a person is asked only because the answer is in the sample. */
  isAudit(id: string): boolean {
    return this.#audited.has(id) && this.#actionOf(id) === "accept" && !this.#chosen.has(id);
  }

  /** What a question has come to; `undefined` while a person has to decide. */
  settled(id: string): Settlement | undefined {
    const chosen = this.#chosen.get(id);
    if (chosen !== undefined) return { option: chosen, by: "person" };
    if (this.#actionOf(id) !== "accept" || this.#audited.has(id)) return undefined;
    const named = this.#result.answers.find((answer) => answer.id === id);
    return named === undefined ? undefined : { option: answeredOption(named.answer), by: "model" };
  }

  /** Ids of the questions that wait for a person, in their order. */
  get open(): readonly string[] {
    return this.#result.answers.map(({ id }) => id).filter((id) => this.settled(id) === undefined);
  }

  /** What every question has come to; `undefined` while one is open. */
  get all(): Readonly<Record<string, Settlement>> | undefined {
    const entries = this.#result.answers.map(({ id }) => [id, this.settled(id)] as const);
    if (entries.some(([, settlement]) => settlement === undefined)) return undefined;
    return Object.fromEntries(entries) as Readonly<Record<string, Settlement>>;
  }

  choose(id: string, option: string): void {
    this.#past = [...this.#past.slice(1 - maxUndo), this.#chosen];
    this.#chosen = new Map(this.#chosen).set(id, option);
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  /** Takes the last choice back. Returns the question that it was about. */
  undo(): string | undefined {
    const before = this.#past.at(-1);
    if (before === undefined) return undefined;
    const changed = [...this.#chosen].find(([id, option]) => before.get(id) !== option)?.[0];
    this.#past = this.#past.slice(0, -1);
    this.#chosen = before;
    return changed;
  }
}
