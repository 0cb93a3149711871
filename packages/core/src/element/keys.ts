import { OptioError } from "../errors.js";

/** What can be done with a key while the focus is inside the element, and not in a field. */
export type KeyCommand = "accept" | "undo";

/** `KeyboardEvent.key` by command; digits choose an option by its place, and cannot be taken. `null` takes a key away. */
export type KeyMap = Readonly<Record<KeyCommand, string | null>>;

export const defaultKeys: KeyMap = { accept: "a", undo: "z" };

/**
 * Keys as a page wants them.
 *
 * @throws OptioError `invalid_setting` for two commands on one key, a digit, or something that is no single key
 */
export function readKeys(wanted: Partial<KeyMap>): KeyMap {
  const keys = { ...defaultKeys, ...wanted };
  const taken = new Set<string>();
  for (const [command, key] of Object.entries(keys)) {
    if (key === null) continue;
    if (typeof key !== "string" || !(command in defaultKeys)) {
      throw new OptioError("invalid_setting", `keys.${command} is not one of accept and undo, or not a key.`);
    }
    if (/^\d$/.test(key)) {
      throw new OptioError("invalid_setting", `keys.${command} is a digit, and digits choose options.`);
    }
    if (taken.has(key)) throw new OptioError("invalid_setting", `keys: "${key}" stands for two commands.`);
    taken.add(key);
  }
  return keys;
}

/** What a key press means; `undefined` where it is the page's, or somebody types. */
export function commandOf(event: KeyboardEvent, keys: KeyMap): KeyCommand | number | undefined {
  const [target] = event.composedPath();
  if (event.defaultPrevented || event.altKey || event.metaKey || isField(target)) return undefined;
  if (event.ctrlKey) return event.key === "z" && keys.undo !== null ? "undo" : undefined;
  if (/^[1-9]$/.test(event.key)) return Number(event.key);
  if (event.key === keys.accept) return "accept";
  return event.key === keys.undo ? "undo" : undefined;
}

function isField(target: EventTarget | undefined): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches("input, textarea, select");
}
