import type { Action } from "../../questions/question.js";
import type { ModelOffer } from "../engine-choice.js";
import type { Failure } from "../phase.js";

/**
 * Every text that the elements show, for someone who knows nothing of models. Numbers arrive as text, already written as the
 * language writes them. A translation is one object of this type.
 */
export interface Words {
  /** BCP 47: how numbers are written, and the `lang` of the element's texts. */
  readonly language: string;
  readonly yes: string;
  readonly no: string;
  readonly actions: Readonly<Record<Action, string>>;
  readonly phases: PhaseTexts;
  readonly buttons: ButtonTexts;
  readonly answers: AnswerTexts;
  readonly choices: ChoiceTexts;
}

/** A title, and a sentence that says why. */
interface PhaseTexts {
  readonly unsupported: string;
  readonly empty: string;
  readonly downloading: string;
  readonly stalled: string;
  readonly paused: string;
  readonly verifying: string;
  readonly loading: string;
  readonly ready: string;
  readonly running: string;
  readonly failedStart: string;
  readonly failedRun: string;
  chooseModel(): string;
  kept(): string;
  /** The file can be had from nowhere that this page may ask. */
  unavailable(offer: Pick<ModelOffer, "id">): string;
  offered(size: string, origin: string | undefined, licence: string | undefined): string;
  nothingUnasked(): string;
  partly(here: string, size: string): string;
  tooLarge(needed: string, free: string): string;
  arrived(loaded: string, total: string | undefined): string;
  speed(perSecond: string, left: string | undefined): string;
  waitingForData(): string;
  pausedAt(loaded: string, total: string): string;
  verifyingHash(): string;
  loadingWeights(): string;
  staysHere(): string;
  goesTo(host: string): string;
  stopped(): string;
  ahead(count: string): string;
  reading(): string;
  preparing(): string;
  quarter(title: string, percent: string): string;
  failure(failure: Failure): string;
}

interface ButtonTexts {
  readonly checkAgain: string;
  readonly start: string;
  readonly load: string;
  readonly pause: string;
  readonly resume: string;
  readonly stop: string;
  readonly decide: string;
  readonly stopDeciding: string;
  readonly tryAgain: string;
  readonly withoutSaving: string;
  download(size: string): string;
  downloadRest(size: string): string;
  cancel(): string;
  remove(size: string): string;
  askBridge(host: string): string;
  readonly diagnostics: string;
  readonly diagnosticsCopied: string;
}

interface AnswerTexts {
  sure(option: string, percent: string): string;
  between(below: string, above: string): string;
  level(score: string, top: string, levels: string): string;
  confidence(percent: string): string;
  readonly noAnswer: string;
  close(first: string, second: string): string;
  readonly edited: string;
  readonly details: string;
  readonly stayed: string;
  left(host: string): string;
}

interface ChoiceTexts {
  readonly heading: string;
  readonly done: string;
  /** Verb and effect. */
  accept(option: string): string;
  choose(option: string): string;
  readonly other: string;
  chosen(option: string): string;
  accepted(option: string): string;
  readonly audit: string;
  readonly undo: string;
  readonly hidden: string;
  readonly missing: string;
}
