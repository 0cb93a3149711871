import { createDecider, type Decider, type DeciderOptions } from "./decider.js";
import { OptioError } from "./errors.js";

/** What an adapter decides with: the options of a decider of its own, or a decider that is there already. */
export type DeciderChoice = (DeciderOptions & { readonly decider?: never }) | GivenDecider;

export interface GivenDecider {
  /** Shared with others: the adapter does not close it. */
  readonly decider: Decider;
  readonly engine?: never;
  readonly engines?: never;
}

export interface ChosenDecider {
  readonly decider: Decider;
  /** Closes the decider if it was made here. */
  close(): Promise<void>;
}

/** @throws OptioError `invalid_setting`, also for settings beside a decider that is there already: they would change nothing. */
export function chooseDecider(choice: DeciderChoice): ChosenDecider {
  const { decider, ...options } = choice;
  if (decider === undefined) {
    const made = createDecider(options as DeciderOptions);
    return { decider: made, close: () => made.close() };
  }
  const [field] = Object.keys(options);
  if (field !== undefined) {
    throw new OptioError("invalid_setting", `${field} does not go with a decider, which has settings of its own.`, {
      hint: "Pass it to `createDecider`, or pass `engine` instead of `decider`.",
      details: { field },
    });
  }
  return { decider, close: async () => undefined };
}
