import { OptioError } from "../errors.js";
import { parseQuestions } from "../questions/from-wire.js";
import type { QuestionsInput } from "../questions/normalize.js";
import type { StateInput } from "../state.js";

/**
 * The questions of an element: its property, else its attribute, else a `<script type="application/json">` inside it.
 *
 * @returns `undefined` where nothing says
 * @throws OptioError `invalid_question`, `invalid_options`
 */
export function readQuestions(host: HTMLElement, given: QuestionsInput | string | null): QuestionsInput | undefined {
  if (typeof given === "string") return given.trim() === "" ? undefined : parseQuestions(given);
  if (given !== null && given !== undefined) return given;
  const text = host.querySelector('script[type="application/json"]')?.textContent ?? "";
  return text.trim() === "" ? undefined : parseQuestions(text);
}

/**
 * What a decision is about: the property or attribute, else the value of the control that `for` names.
 *
 * @returns `undefined` where there is nothing to decide about
 */
export function readState(host: HTMLElement, given: StateInput, forId: string): StateInput | undefined {
  if (typeof given === "string" && given.trim() !== "") return given;
  if (given !== "" && given !== null && given !== undefined && typeof given !== "string") return given;
  const control = controlOf(host, forId);
  const value = control === undefined ? "" : "value" in control ? String(control.value) : (control.textContent ?? "");
  return value.trim() === "" ? undefined : value;
}

/** The element that `for` names, in the same tree. */
export function controlOf(host: HTMLElement, forId: string): HTMLElement | undefined {
  if (forId === "") return undefined;
  const root = host.getRootNode();
  if (!(root instanceof Document || root instanceof ShadowRoot)) return undefined;
  return root.getElementById(forId) ?? undefined;
}

/** @throws OptioError `invalid_setting` for text that is no number from 0 to 1. */
export function readShare(name: string, text: string | number | null, otherwise: number): number {
  if (text === null || String(text).trim() === "") return otherwise;
  const value = Number(text);
  if (value >= 0 && value <= 1) return value;
  throw new OptioError("invalid_setting", `${name} must be a number from 0 to 1, not "${text}".`, {
    details: { field: name },
  });
}
