import type { Decision } from "../decide.js";
import type { SettledDecision } from "../decide-many.js";
import type { EngineKind, State } from "../engines/engine.js";
import { OptioError } from "../errors.js";
import type { Answer } from "../questions/question.js";
import type { Settled } from "../settled.js";
import type { Attempt, PassedOver } from "../trust/receipt.js";
import { nobodyAnswered, passesOn } from "./failures.js";

/** Whose attempt it was. */
interface Asked {
  readonly kind: EngineKind;
  readonly destination: string | undefined;
}

/** A state on its way through the engines: what each of them made of it, and the outcome when there is one. */
export class Undecided {
  readonly state: State;
  /** How often it was sent to another host. */
  sent = 0;
  readonly #attempts: Attempt[] = [];
  /** What the attempts that brought no answer ended with, for people. */
  readonly #setbacks: string[] = [];
  #best: { readonly decision: Decision; readonly confidence: number; readonly attempt: number } | undefined;
  #failure: OptioError | undefined;
  #outcome: SettledDecision | undefined;

  constructor(state: State) {
    this.state = state;
  }

  get isSettled(): boolean {
    return this.#outcome !== undefined;
  }

  /** @throws OptioError `internal` before it is settled */
  result(): SettledDecision {
    if (this.#outcome === undefined) throw new OptioError("internal", "A state has no outcome.");
    return this.#outcome;
  }

  skip({ kind, destination }: Asked, reason: PassedOver): void {
    this.#attempts.push({ engine: kind, destination: destination ?? null, outcome: "skipped", reason });
    this.#setbacks.push(`The ${kind} engine was passed over (${reason})`);
  }

  /** Takes what an engine made of it. An answer at least as confident as `bound` is the last word, as is an error in the input. */
  settle({ kind, destination }: Asked, outcome: Settled<Decision>, bound: number): void {
    const attempt = { engine: kind, destination: destination ?? null } as const;
    if (outcome.status === "rejected") {
      this.#failure = outcome.reason;
      this.#attempts.push({ ...attempt, outcome: "failed", reason: outcome.reason.code });
      this.#setbacks.push(`The ${kind} engine: ${outcome.reason.message.replace(/\.$/u, "")}`);
      if (!passesOn(outcome.reason)) this.#outcome = outcome;
      return;
    }
    const decision = outcome.value;
    const confidence = leastConfidence(decision);
    if (this.#best === undefined || confidence > this.#best.confidence) {
      this.#best = { decision, confidence, attempt: this.#attempts.length };
    }
    this.#attempts.push({ ...attempt, outcome: "unsure", reason: null });
    if (confidence >= bound) this.close();
  }

  /** There is nobody left to ask. */
  close(): void {
    this.#outcome ??=
      this.#best === undefined ? this.#failed() : { status: "fulfilled", value: this.#decided(this.#best) };
  }

  #decided({ decision, attempt }: { readonly decision: Decision; readonly attempt: number }): Decision {
    const attempts = this.#attempts.map(
      (each, index): Attempt => (index === attempt ? { ...each, outcome: "answered" } : each),
    );
    // What came before an answer is in the receipt; that a second opinion was wanted and not had is worth a sentence.
    const missed = this.#attempts.slice(attempt + 1).some(({ outcome }) => outcome !== "unsure");
    const warnings = missed ? [`No engine was sure. ${this.#setbacks.join("; ")}.`] : [];
    return {
      ...decision,
      receipt: { ...decision.receipt, attempts },
      warnings: [...decision.warnings, ...warnings],
    };
  }

  #failed(): SettledDecision {
    const alone = this.#attempts.length === 1 ? this.#failure : undefined;
    return { status: "rejected", reason: alone ?? nobodyAnswered(this.#setbacks, this.#failure) };
  }
}

function leastConfidence({ answers }: Decision): number {
  return Math.min(...Object.values(answers as Readonly<Record<string, Answer>>).map(({ confidence }) => confidence));
}
