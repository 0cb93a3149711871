import { z } from "zod";
import { callback, flag, options, timeoutMs, whole, within } from "../check-options.js";
import type { EngineKind, State } from "../engines/engine.js";
import { OptioError } from "../errors.js";
import type { NamedQuestion } from "../questions/question.js";
import type { BreakerSettings } from "./circuit-breaker.js";

/** A decision that is about to leave this machine. */
export interface Transfer {
  readonly engine: EngineKind;
  /** The host that it goes to. */
  readonly destination: string;
  readonly state: State;
  readonly questions: readonly NamedQuestion[];
}

/** When the next of several engines is asked. A failure of the engine itself always passes a decision on; bad input never does. */
export interface FallbackSettings {
  /**
   * Whether a state may be sent to another host: `true`, `false`, or a function that is asked each time. Needed as soon as an
   * engine but the first sends states away.
   */
  readonly consent?: boolean | ((transfer: Transfer) => boolean | Promise<boolean>);
  /** Confidence, 0 to 1, below which the next engine is asked as well. The most confident decision counts. Default: never. */
  readonly escalateBelow?: number;
  /** Decisions waiting for an engine from which on the next is asked, 1 or more. Default: when its queue is full. */
  readonly queueFrom?: number;
  /** Characters of state and questions above which engines on this machine are passed over. Default: none. */
  readonly charactersAbove?: number;
  /** Milliseconds after which an engine that has not answered is given up for the next. Default: none but the call's own limit. */
  readonly afterMs?: number;
  /** How many decisions may be sent to other hosts. */
  readonly budget?: {
    /** For one decision, 0 or more. Default: every engine once. */
    readonly perDecision?: number;
    /** In any hour, over all decisions of this decider, 0 or more. Default: no limit. */
    readonly perHour?: number;
  };
  /** When an engine that keeps failing is left alone for a while. */
  readonly breaker?: BreakerSettings;
}

export const fallbackOptions = options({
  consent: z.union([flag, callback], { error: "must be true, false or a function" }),
  escalateBelow: within(0, 1),
  queueFrom: whole(1, Number.MAX_SAFE_INTEGER),
  charactersAbove: whole(1, Number.MAX_SAFE_INTEGER),
  afterMs: timeoutMs,
  budget: options({
    perDecision: whole(0, Number.MAX_SAFE_INTEGER),
    perHour: whole(0, Number.MAX_SAFE_INTEGER),
  }),
  breaker: options({ failures: whole(1, Number.MAX_SAFE_INTEGER), coolDownMs: timeoutMs }),
});

/** @throws OptioError `invalid_setting` when nobody said whether states may leave this machine. */
export function checkConsent(destinations: readonly (string | undefined)[], { consent }: FallbackSettings): void {
  const away = destinations.slice(1).find((destination) => destination !== undefined);
  if (away === undefined || consent !== undefined) return;
  throw new OptioError("invalid_setting", `fallback.consent must say whether states may be sent to ${away}.`, {
    hint: "Set `fallback: { consent: true }` where they always may, or a function that asks.",
    details: { field: "fallback.consent" },
  });
}
