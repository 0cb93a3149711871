import type { ModelOffer } from "./engine-choice.js";
import { formatsFor } from "./formats.js";
import type { Phase } from "./phase.js";
import type { PhaseContext } from "./phase-words.js";
import type { Words } from "./words/words.js";

/** What the buttons of a phase ask for. */
export type PhaseAction =
  | "start"
  | "unsaved"
  | "pause"
  | "stop"
  | "discard"
  | "bridge"
  | "run"
  | "abort"
  | "reload"
  | "diagnostics";

export interface PhaseButton {
  readonly action: PhaseAction;
  readonly label: string;
  readonly disabled?: boolean;
}

export interface ButtonContext extends PhaseContext {
  /** The host of the bridge, if there is one. */
  readonly bridge: string | undefined;
}

/** The main button of a phase; then those that stand apart from it, because they lose something or send something away. */
export function phaseButtons(
  phase: Phase,
  context: ButtonContext,
  words: Words,
): readonly [PhaseButton, ...PhaseButton[]] {
  const { buttons } = words;
  const { offer, bridge } = context;
  const { bytes } = formatsFor(words.language);
  const askBridge: readonly PhaseButton[] =
    bridge === undefined ? [] : [{ action: "bridge", label: buttons.askBridge(bridge) }];
  const cancel: PhaseButton = { action: "discard", label: buttons.cancel() };
  const diagnostics: PhaseButton = { action: "diagnostics", label: buttons.diagnostics };
  switch (phase.kind) {
    case "unsupported":
      return [{ action: "reload", label: buttons.checkAgain }, ...askBridge, diagnostics];
    case "empty": {
      const start: PhaseButton = { action: "start", label: startLabel(offer, words), disabled: !canStart(offer) };
      const remove: readonly PhaseButton[] =
        offer === undefined || offer.storedBytes === 0
          ? []
          : [{ action: "discard", label: buttons.remove(bytes(offer.storedBytes)) }];
      const unsaved: readonly PhaseButton[] = doesNotFit(context)
        ? [{ action: "unsaved", label: buttons.withoutSaving }]
        : [];
      return [start, ...unsaved, ...askBridge, ...remove];
    }
    case "downloading":
    case "stalled":
      return [{ action: "pause", label: buttons.pause }, cancel];
    case "paused":
      return [{ action: "start", label: buttons.resume }, cancel];
    case "verifying":
    case "loading":
      return [{ action: "stop", label: buttons.stop }];
    case "ready":
      return [{ action: "run", label: buttons.decide }];
    case "running":
      return [{ action: "abort", label: buttons.stopDeciding }];
    case "failed": {
      const again: PhaseButton = { action: phase.during === "start" ? "start" : "run", label: buttons.tryAgain };
      const { code } = phase.failure;
      // Where nothing can be kept, the model can still be used.
      const unsaved: readonly PhaseButton[] =
        code === "no_space" || code === "store_failed" ? [{ action: "unsaved", label: buttons.withoutSaving }] : [];
      return [again, ...unsaved, ...(phase.during === "start" ? askBridge : []), diagnostics];
    }
  }
}

function doesNotFit({ offer, freeBytes }: PhaseContext): boolean {
  return offer !== undefined && freeBytes !== undefined && freeBytes < offer.bytes - offer.storedBytes;
}

function canStart(offer: ModelOffer | undefined): boolean {
  return offer !== undefined && (offer.available || (offer.bytes > 0 && offer.storedBytes === offer.bytes));
}

function startLabel(offer: ModelOffer | undefined, { buttons, language }: Words): string {
  const { bytes } = formatsFor(language);
  if (offer === undefined || offer.bytes === 0) return buttons.start;
  if (offer.storedBytes === offer.bytes) return buttons.load;
  if (offer.storedBytes > 0) return buttons.downloadRest(bytes(offer.bytes - offer.storedBytes));
  return buttons.download(bytes(offer.bytes));
}
